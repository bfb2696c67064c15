import {
  type Fit,
  type FitMeasures,
  type FitRun,
  type InUse,
  isNumber,
  numericNames,
  whatFits,
} from '../analyses/fit/index.ts';
import type { FitRequest } from '../analyses/fit/question.ts';
import { measuresOf, recordingFigures } from '../analyses/fit/recording-figures.ts';
import type { SweepRun } from '../analyses/sweep/index.ts';
import { UserError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { count } from '../base/text.ts';
import type { SweepWithRecordings } from './result.ts';

/** The answer for a sweep's runs. */
export function fitSweep({ result, recordings }: SweepWithRecordings, request: FitRequest): Fit {
  const { series } = result;
  if (series === null) {
    throw new UserError('the runs have no figure in common that could be fitted', {
      hint: `highwater report ${result.folder} shows what each has`,
    });
  }
  let leftOut = 0;
  const opened = new Map(recordings.map(({ name, recording }) => [name, recording]));
  const measured = result.combinations.flatMap(({ params, runs }) =>
    runs.filter(counts).flatMap((run) => {
      if (run.incomplete) {
        leftOut++;
        return [];
      }
      const recording = opened.get(run.recording);
      const figures = recording && recordingFigures(recording, series);
      return figures ? [{ ...figures, params, outOfMemory: run.state === 'failed' }] : [];
    }),
  );
  if (measured.length === 0) {
    const why = leftOut > 0 ? ': the recordings stopped before the runs did' : '';
    throw new UserError(`no run was measured that could be fitted${why}`);
  }
  const runs: FitRun[] = measured.map(({ params, figures, outOfMemory }) => ({
    params,
    figures,
    outOfMemory,
  }));
  const fit = fitRuns(runs, measuresOf(measured, series), request);
  if (leftOut === 0) return fit;
  const note = `${count(leftOut, 'run')} left out: the recording stopped before the run did, and its peak is a lower bound`;
  return { ...fit, notes: [note, ...fit.notes] };
}

/** The answer for any runs whose peaks are known. */
export function fitRuns(
  runs: readonly FitRun[],
  { measures, inUse }: { readonly measures: FitMeasures; readonly inUse: InUse },
  { limitBytes, at, inUseBytes }: FitRequest,
): Fit {
  checkCombination(at, runs);
  const taken = inUseBytes === undefined ? inUse : { bytes: inUseBytes, what: 'as given' };
  return whatFits(runs, measures, { limitBytes, inUse: taken, at: at ?? null });
}

/** A combination can only be of parameters that the runs have, and of numbers where those are. */
export function checkCombination(
  at: FitRequest['at'],
  runs: readonly Pick<FitRun, 'params'>[],
): void {
  const names = Object.keys(runs[0]?.params ?? {});
  const numbers = numericNames(runs);
  for (const [name, value] of Object.entries(at ?? {})) {
    if (!names.includes(name)) {
      const near = nearest(name, names);
      throw new UserError(`--at: the runs have no parameter '${name}'`, {
        hint: near ? `did you mean ${near}?` : `they have ${names.join(', ')}`,
      });
    }
    if (numbers.includes(name) && !(isNumber(value) && Number(value) > 0)) {
      throw new UserError(`--at: ${name} is a number above zero, and '${value}' is none`);
    }
    if (!numbers.includes(name) && !runs.some(({ params }) => params[name] === value)) {
      const known = [...new Set(runs.map(({ params }) => params[name]))];
      throw new UserError(`--at: no run had ${name}=${value}`, {
        hint: `there is ${known.join(', ')}`,
      });
    }
  }
}

/** A run that failed for another reason stopped anywhere: it says nothing of a peak. */
const counts = ({ state, reason, figures }: SweepRun) =>
  figures !== null && (state === 'done' || (state === 'failed' && LACK.test(reason ?? '')));
const LACK = /out of memory|OutOfMemory|MemoryError|cannot allocate|--memory-limit|\boom\b/i;
