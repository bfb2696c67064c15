import { replay } from '../replay/replay.ts';
import { type Change, changedRequests } from './changed-requests.ts';
import type { RecordedProgram } from './recorded-program.ts';
import type { StepNeed } from './step-need.ts';

/** What a change comes to, by a replay of the changed trace. */
export interface Tried {
  /**
   * runs: past the request that failed, and past all that a step still asks for, by the steps before it or by a bound. dies: even so.
   * unknown: it gets past the request, or that cannot be tried; what comes after it was not seen.
   */
  readonly outcome: 'runs' | 'dies' | 'unknown';
  /** Bytes to spare, at least; null where it does not run. */
  readonly margin: number | null;
}

/** A change in terms of the trace's rows. */
export interface Asked {
  readonly without?: readonly number[];
  /** Blocks that would have this part of their size. */
  readonly scaled?: { readonly rows: readonly number[]; readonly by: number };
  readonly sizes?: ReadonlyMap<number, number>;
  readonly asked?: Change['asked'];
  readonly more?: readonly number[];
  /** How much of the batch is left, where the change is one of the batch. */
  readonly batch?: number;
  /** By how much less a whole step needs at its peak. */
  readonly less?: number;
  /** All that can come after the request, where that is known otherwise. */
  readonly rest?: number;
}

export type Trial = (asked: Asked) => Tried;

export const UNKNOWN: Tried = { outcome: 'unknown', margin: null };

/** What is left of the step after the failed request, at most; null: nobody knows. */
export type RestBytes = number | null;

/** Tries changes on a recorded program. */
export function trialOf(
  recorded: RecordedProgram | null,
  event: number,
  need: StepNeed | null,
  restBytes: RestBytes,
  startOf: (row: number) => number,
): Trial {
  if (!recorded?.program.limit || recorded.run.replayed.diesAt !== event) return () => UNKNOWN;
  const { program, run } = recorded;
  const limit = program.limit!;
  const { size } = program.life;
  return (asked) => {
    const without = new Set(asked.without);
    const scaled = new Set(asked.scaled?.rows);
    const by = asked.scaled?.by ?? 1;
    const sizeOf = (row: number) => {
      if (without.has(row)) return 0;
      return asked.sizes?.get(row) ?? (scaled.has(row) ? size[row]! * by : size[row]!);
    };
    const requests = changedRequests(program, { ...asked, sizeOf });
    const before = [...without, ...scaled, ...(asked.sizes?.keys() ?? [])].some(
      (row) => startOf(row) < 0,
    );
    const start = before ? 'packed' : 'placed';
    const replayed = replay(requests, { conf: run.conf, limit, start });
    if (replayed.diesAt !== null) return { outcome: 'dies', margin: null };
    const left = limit.bytes - replayed.reservedPeakBytes;
    if (asked.rest !== undefined) return spare(left - asked.rest);
    if (need) {
      // What the step itself would make less of is told by `batch` and `less`.
      const gone = [...without, ...(asked.sizes?.keys() ?? [])]
        .filter((row) => startOf(row) < need.startEvent)
        .reduce((sum, row) => sum + size[row]! - sizeOf(row), 0);
      const step = need.needBytes * need.times * (asked.batch ?? 1) - (asked.less ?? 0);
      const needed = need.startBytes - gone + Math.max(0, step);
      return spare(Math.min(left, limit.bytes - needed));
    }
    return restBytes === null ? UNKNOWN : spare(left - restBytes);
  };
}

/** What may come is a bound: where it does not fit, it may still run. */
const spare = (bytes: number): Tried =>
  bytes >= 0 ? { outcome: 'runs', margin: Math.round(bytes) } : UNKNOWN;
