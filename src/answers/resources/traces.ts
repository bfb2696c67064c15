import { comparedTraces, type TraceWindow } from '../../analyses/allocations/diff/curves.ts';
import { tracePairs } from '../../analyses/allocations/diff/index.ts';
import { UserError } from '../../base/errors.ts';
import type { OpenInputs } from '../opened.ts';
import type { Resource } from './resource.ts';
import { number } from './timeline.ts';

/** About one a pixel. */
const COLUMNS = 800;
/** In a one-file report, which has no more of them to zoom into. */
export const EMBEDDED_COLUMNS = 300;
const MOST_COLUMNS = 4000;
/** Pairs that a one-file report carries pictures of. */
const EMBEDDED_PAIRS = 6;

/**
 * Two allocation traces over one axis, by category and by the sites that `compare` tells of. `pair`: which of its
 * differences; `against` as there; `across=event` where not by step; `from`, `to`: a part.
 */
export const traces: Resource = {
  name: 'traces',
  scope: 'job',
  has: ({ runs }) =>
    runs.filter(({ recording }) => recording.tables.includes('allocations')).length > 1,
  async get(opened, _run, query) {
    const pairs = pairsOf(opened, query.get('against') ?? undefined);
    const pair = pairs[number(query, 'pair') ?? 0];
    if (!pair) {
      throw new UserError('no two traces of one device are there to be drawn', {
        hint: `pairs are counted from 0 to ${pairs.length - 1}`,
      });
    }
    const columns = Math.min(number(query, 'columns') ?? COLUMNS, MOST_COLUMNS);
    const window: TraceWindow = {
      across: query.get('across') === 'event' ? 'event' : 'step',
      from: number(query, 'from'),
      to: number(query, 'to'),
      columns: Math.max(1, columns),
    };
    return comparedTraces(...pair, window);
  },
  embed: (opened) =>
    pairsOf(opened)
      .slice(0, EMBEDDED_PAIRS)
      .map((_, i) => (i === 0 ? '' : `pair=${i}`))
      .map((query) => [query, `columns=${EMBEDDED_COLUMNS}`].filter(Boolean).join('&')),
  leftOut: (opened) =>
    pairsOf(opened).length > EMBEDDED_PAIRS
      ? `pictures of more than ${EMBEDDED_PAIRS} pairs of traces`
      : null,
};

const pairsOf = ({ runs }: OpenInputs, against?: string) =>
  tracePairs(
    runs.map(({ name, recording }) => ({ name, recording })),
    against,
  );
