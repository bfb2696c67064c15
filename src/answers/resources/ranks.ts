import type { Outlier } from '../../analyses/ranks/index.ts';
import { type PackedRanks, rankTimelines } from '../../analyses/ranks/timelines.ts';
import { UserError } from '../../base/errors.ts';
import { thinned } from '../../base/thinning.ts';
import { Columns, type TypedArray } from '../../model/columns.ts';
import { ranksOf } from '../../model/ranks.ts';
import type { Recording } from '../../model/recording.ts';
import type { OpenRun } from '../opened.ts';
import { asRun, type Resource } from './resource.ts';

/** A small picture is no wider than this. */
const COLUMNS = 400;
const MEASURES: readonly Outlier['measure'][] = ['memory', 'torch', 'malloc'];

/** The ranks of a job: what `report --json` says of them, and a curve each. */
export const ranks: Resource = {
  name: 'ranks',
  scope: 'run',
  has: (_opened, run) => run !== undefined && hasRanks(run.recording),
  async get(_opened, given, query) {
    const run = asRun(given);
    const facts = run.result.ranks;
    const measures = measuresOf(run);
    const measure = chosen(query.get('measure'), facts.outlier?.measure ?? 'memory', measures);
    const arrays: Record<string, TypedArray> = {};
    const lines = rankTimelines(run.recording, measure);
    for (const { rank, seconds, bytes } of lines) {
      const ends: [number, number] = [seconds[0] ?? 0, seconds.at(-1) ?? 0];
      const { xs, ys } = thinned({ xs: seconds, ys: bytes }, ...ends, COLUMNS);
      arrays[`${rank}.seconds`] = xs;
      arrays[`${rank}.bytes`] = ys;
    }
    const more = Object.fromEntries(lines.map((line) => [line.rank, line.more]));
    const header: PackedRanks = { type: 'rank-timelines', facts, measure, measures, more };
    return new Columns(header, arrays);
  },
  embed: (_opened, run) => (run ? ['', ...measuresOf(run).map((one) => `measure=${one}`)] : null),
};

const known = new WeakMap<Recording, boolean>();

/** Asked again and again while inputs are opened, and whole tables are read for it. */
function hasRanks(recording: Recording): boolean {
  const found = known.get(recording) ?? new Set(ranksOf(recording).values()).size > 1;
  known.set(recording, found);
  return found;
}

/** What there are curves of. */
function measuresOf({ recording }: OpenRun): Outlier['measure'][] {
  const lines = (measure: Outlier['measure']) => rankTimelines(recording, measure);
  return MEASURES.filter((one) => lines(one).some(({ bytes }) => bytes.length > 0));
}

function chosen(
  asked: string | null,
  usual: Outlier['measure'],
  there: readonly Outlier['measure'][],
): Outlier['measure'] {
  const found = there.find((one) => one === (asked ?? usual));
  if (found || asked === null) return found ?? 'memory';
  throw new UserError(`ranks are not measured in '${asked}'`, {
    hint: `one of ${there.join(', ')}`,
  });
}
