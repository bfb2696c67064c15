import { type Fit, type FitRun, whatFits } from '../analyses/fit/index.ts';
import { measuresOf, recordingFigures } from '../analyses/fit/recording-figures.ts';
import type { SweepRun } from '../analyses/sweep/index.ts';
import { UserError } from '../base/errors.ts';
import { checkPlace, type FitFlags } from '../cli/flags/fit.ts';
import type { OpenedSweep } from './result.ts';

/** The answer for a sweep's runs; null where nobody asked. */
export function fitSweep(
  { result, recordings }: OpenedSweep,
  { fit: limit, at, inUse }: FitFlags,
): Fit | null {
  if (limit === undefined) return null;
  const { series } = result;
  if (series === null) {
    throw new UserError('the runs have no figure in common that could be fitted', {
      hint: `highwater report ${result.folder} shows what each has`,
    });
  }
  const opened = new Map(recordings.map(({ name, recording }) => [name, recording]));
  const measured = result.combinations.flatMap(({ params, runs }) =>
    runs.filter(counts).flatMap((run) => {
      const recording = opened.get(run.recording);
      const figures = recording && recordingFigures(recording, series);
      return figures ? [{ ...figures, params, outOfMemory: run.state === 'failed' }] : [];
    }),
  );
  if (measured.length === 0) throw new UserError('no run was measured that could be fitted');
  const runs: FitRun[] = measured.map(({ params, figures, outOfMemory }) => ({
    params,
    figures,
    outOfMemory,
  }));
  checkPlace(at, runs);
  const { measures, inUse: found } = measuresOf(measured, series);
  const taken = inUse === undefined ? found : { bytes: inUse, what: 'as given' };
  return whatFits(runs, measures, { limitBytes: limit, inUse: taken, at: at ?? null });
}

/** A run that failed for another reason stopped anywhere: it says nothing of a peak. */
const counts = ({ state, reason, figures }: SweepRun) =>
  figures !== null && (state === 'done' || (state === 'failed' && LACK.test(reason ?? '')));
const LACK = /out of memory|OutOfMemory|MemoryError|cannot allocate|--memory-limit|\boom\b/i;
