import type { FitMeasures, FitRun } from '../../src/analyses/fit/index.ts';
import { whatFits } from '../../src/analyses/fit/index.ts';
import { MiB } from '../../src/base/bytes.ts';
import { readPeakTable } from '../../src/open/peak-table.ts';

/** Runs of one figure, `held`, in MiB; `live` is what of it is in use. */
export function runsOf(
  rows: readonly (readonly [
    params: Record<string, string | number>,
    held: number,
    live?: number,
  ])[],
): FitRun[] {
  return rows.map(([params, held, live]) => ({
    params: Object.fromEntries(
      Object.entries(params).map(([name, value]) => [name, String(value)]),
    ),
    figures: { held: held * MiB, ...(live === undefined ? {} : { live: live * MiB }) },
    outOfMemory: false,
  }));
}

export const HELD: FitMeasures = { held: 'held', live: null, others: [] };

/** What fits into so many MiB of which others take some; the only group of runs. */
export function ask(
  runs: readonly FitRun[],
  limit: number,
  at: Record<string, string> | null,
  { measures = HELD, taken = 0 } = {},
) {
  const inUse = { bytes: taken * MiB, what: 'others' };
  const { groups, ...rest } = whatFits(runs, measures, { limitBytes: limit * MiB, inUse, at });
  return { ...rest, groups, ...groups[0]! };
}

/** Every figure of a table at its largest batch × size, told without those rows. */
export function holdOutLargest(path: string) {
  const { runs, measures } = readPeakTable(path);
  const size = ({ params }: FitRun) => Number(params.batch) * Number(params.size);
  return [...new Set(runs.map(({ params }) => params.model!))].flatMap((model) => {
    const own = runs.filter(({ params }) => params.model === model);
    const top = Math.max(...own.map(size));
    const known = own.filter((run) => size(run) < top);
    return own
      .filter((run) => size(run) === top)
      .flatMap(({ params, figures }) => {
        const inUse = { bytes: 0, what: '' };
        const { groups } = whatFits(known, measures, { limitBytes: 2 ** 40, inUse, at: params });
        return groups[0]!.models.map(({ figure, expected }) => ({
          name: `${model} ${figure}`,
          truth: figures[figure]!,
          expected: expected!,
        }));
      });
  });
}
