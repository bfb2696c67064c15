import { OWNER } from '../../../model/allocations/actions.ts';
import { firstRowFrom, releasedAt } from '../../../model/allocations/lifetimes.ts';
import { poolsOf } from '../../../model/allocations/names.ts';
import { staysToEnd } from './lifespan.ts';
import type { TraceSurvey } from './survey.ts';

/** Scratch memory that a library keeps for every stream it is used on, whatever its size. */
export interface StreamWorkspaces {
  readonly rows: ReadonlySet<number>;
  /** Whether an event asks for the first one of a further stream. */
  isAskedBy(event: number): boolean;
}

/** On fewer streams it may be chance. */
const FEWEST_STREAMS = 3;

const known = new WeakMap<TraceSurvey, StreamWorkspaces>();

/**
 * One block of a size and a line on each of several streams, that stays though what the line made there later is let go of, and that no
 * object of the program holds: what torch keeps for cuBLAS is so, in any size that CUBLAS_WORKSPACE_CONFIG sets. Results of the
 * line are many, or are let go of, or are somebody's.
 */
export function streamWorkspaces(survey: TraceSurvey): StreamWorkspaces {
  let found = known.get(survey);
  if (!found) {
    found = find(survey);
    known.set(survey, found);
  }
  return found;
}

function find(survey: TraceSurvey): StreamWorkspaces {
  const { life, trace, recording } = survey;
  const streams = poolsOf(recording).map(({ stream }) => stream);
  const rows = new Set<number>();
  const places = new Set<string>();
  if (new Set(streams).size < FEWEST_STREAMS) return { rows, isAskedBy: () => false };
  const placeOf = (stack: number, pool: number) => `${stack} ${streams[pool] ?? ''}`;
  const placeOfRow = (row: number) => placeOf(life.stack[row]!, life.poolOf(row));
  const isNobodys = (row: number) =>
    staysToEnd(survey, row) && trace.blocks.owner[life.blockOf(row)] === OWNER.nobody;
  /** What a line has kept on a stream, until something that it made there later is gone. */
  const open = new Map<string, number[]>();
  const kept = new Map<string, Map<string, number[]>>();
  for (let row = 0; row < life.allocs; row++) {
    const place = placeOfRow(row);
    if (isNobodys(row)) {
      const waiting = open.get(place);
      if (waiting) waiting.push(row);
      else open.set(place, [row]);
    } else if (releasedAt(life, row) < trace.events) {
      for (const one of open.get(place) ?? []) {
        const kind = `${life.stack[one]} ${life.size[one]}`;
        const byPlace = kept.get(kind) ?? new Map<string, number[]>();
        kept.set(kind, byPlace.set(place, [...(byPlace.get(place) ?? []), one]));
      }
      open.delete(place);
    }
  }
  for (const byPlace of kept.values()) {
    const each = [...byPlace];
    if (each.length < FEWEST_STREAMS || each.some(([, some]) => some.length > 1)) continue;
    for (const [place, [row]] of each) {
      rows.add(row!);
      places.add(place);
    }
  }
  const lines = new Set([...rows].map((row) => life.stack[row]!));
  /** What the line makes on a stream goes again; until the first has gone it is at its first call there. */
  const isFirstCall = (event: number, place: string) => {
    if (places.has(place)) return false;
    for (let row = firstRowFrom(life, event) - 1; row >= 0; row--) {
      if (placeOfRow(row) === place && releasedAt(life, row) < event) return false;
    }
    return true;
  };
  const isAskedBy = (event: number) => {
    const stack = trace.stacks[event]!;
    return lines.has(stack) && isFirstCall(event, placeOf(stack, trace.pools[event]!));
  };
  return { rows, isAskedBy };
}
