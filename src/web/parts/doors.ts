import type { Clock, TraceMoment } from '../../analyses/panels/panel.ts';
import type { InputInfo } from '../../model/inputs-info.ts';
import { hrefOf, type StatePatch } from '../address.ts';
import { isOneFile } from '../store.ts';

/** A page that shows a moment in its own way. */
export interface Door {
  readonly words: string;
  readonly href: string;
}

/** A moment of a run, as pages know it. */
export interface RunMoment {
  readonly events: readonly TraceMoment[];
  readonly heap: number | null;
  /** Where it stands on the timeline, of what there is of it; null where it does not. */
  readonly on: {
    readonly clock: Clock | undefined;
    readonly x: number;
    readonly span: readonly [number, number];
  } | null;
}

/** The pages of a run that can show a moment: what was live, who made it, where it lay, what held it. */
export function doorsOf(run: InputInfo, { events, heap, on }: RunMoment): Door[] {
  const has = (name: string) => run.resources.includes(name);
  const door = (words: string, page: string, patch: StatePatch): Door => ({
    words,
    href: hrefOf(page, { run: run.id === '0' ? null : run.id, ...patch }),
  });
  // A one-file report carries one trace, and its peak only.
  const reached = events.find(({ trace }) => trace === null) ?? (isOneFile ? undefined : events[0]);
  const at = reached && { trace: reached.trace, at: reached.isPeak ? null : reached.event };
  const isCarried = at !== undefined && (!isOneFile || reached!.isPeak);
  return [
    ...(reached && has('trace')
      ? [door('Allocations', 'map', { trace: reached.trace, axis: 'events', ...around(reached) })]
      : []),
    ...(isCarried && has('flame') ? [door('Flame graph', 'flame', at)] : []),
    ...(isCarried && has('segments') ? [door('Segments', 'segments', at)] : []),
    ...(has('heap')
      ? [door('Heap', 'heap', { heap: heap === null || isOneFile ? null : `${run.id}.${heap}` })]
      : []),
    ...(on && has('timeline') ? [door('Timeline', 'timeline', timelineAt(on))] : []),
  ];
}

/** So much of all events beside the one that is meant. */
const NEAR = 0.02;
const LEAST_EVENTS = 40;

function around({ event, of }: TraceMoment): { x0: number; x1: number } {
  const half = Math.max(LEAST_EVENTS, Math.round(of * NEAR));
  return { x0: Math.max(0, event - half), x1: Math.min(of, event + half) };
}

/** Its neighbourhood, with the moment pinned. */
function timelineAt({ clock, x, span }: NonNullable<RunMoment['on']>): StatePatch {
  const half = (span[1] - span[0]) * 0.05;
  const exact = (value: number) => Number(value.toPrecision(12));
  const [from, to] = [exact(Math.max(span[0], x - half)), exact(Math.min(span[1], x + half))];
  return { clock, from, to, a: isOneFile ? null : exact(x) };
}
