import { panelsToColumns } from '../../analyses/panels/columns.ts';
import { type PanelsQuery, panels } from '../../analyses/panels/index.ts';
import { UserError } from '../../base/errors.ts';
import { count } from '../../base/text.ts';
import { traces } from '../../model/allocations/trace.ts';
import { SAMPLED } from '../../model/origin.ts';
import type { OpenRun } from '../opened.ts';
import { asRun, type Resource } from './resource.ts';

/** Columns of the whole picture that a one-file report carries: a reader may zoom in about fourfold. */
const EMBEDDED_COLUMNS = 4000;
/** More than any screen has. */
const MOST_COLUMNS = 16_000;

/** Memory over time, in panels: `clock`, `from`, `to`, `columns`; without them all of it. */
export const timeline: Resource = {
  name: 'timeline',
  scope: 'run',
  has: (_opened, run) =>
    SAMPLED.some((name) => asRun(run).recording.tables.includes(name)) || hasTrace(asRun(run)),
  async get(_opened, run, query) {
    const { recording, snapshots } = asRun(run);
    return panelsToColumns(panels(recording, snapshots, wishOf(query)));
  },
  embed: (_opened, run) => {
    const columns = `columns=${EMBEDDED_COLUMNS}`;
    return hasTrace(asRun(run)) ? [columns, `clock=event&${columns}`] : [columns];
  },
  leftOut(_opened, run) {
    const { recording, snapshots } = asRun(run);
    const { panels: shown } = panels(recording, snapshots, { columns: EMBEDDED_COLUMNS });
    const lines = shown.flatMap((panel) => panel.lines);
    const thinned = lines.filter(({ x, samples }) => x.length < samples);
    if (thinned.length === 0) return null;
    return `${count(thinned.length, 'curve')} of the timeline as the lowest and highest of ${EMBEDDED_COLUMNS} stretches, peaks kept`;
  },
};

const hasTrace = ({ recording, snapshots }: OpenRun) =>
  recording.tables.includes('allocations') ||
  snapshots.some((one) => traces(one).some(({ events }) => events > 0));

function wishOf(query: URLSearchParams): PanelsQuery {
  const [low, high] = [number(query, 'from'), number(query, 'to')];
  if (low !== undefined && high !== undefined && !(high > low)) {
    throw new UserError('the stretch to show is empty', { hint: 'from must be before to' });
  }
  const columns = Math.round(number(query, 'columns') ?? 1000);
  const clock = query.get('clock');
  return {
    clock: clock === 'event' || clock === 'time' ? clock : undefined,
    columns: Math.max(1, Math.min(MOST_COLUMNS, columns)),
    ...(low === undefined ? {} : { low }),
    ...(high === undefined ? {} : { high }),
  };
}

/** Infinite and unreadable numbers are refused: they would be drawn as nothing. */
export function number(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) {
    throw new UserError(`${name} is no number: ${text.slice(0, 40)}`);
  }
  return value;
}
