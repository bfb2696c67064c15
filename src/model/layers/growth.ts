import type { PartChange } from './history.ts';

/** In the first iterations everything is made for the first time. */
const WARM_UP = 2;
/** Fewer steps than these say nothing. */
const LEAST_STEPS = 5;
const NEARLY_ALL = 0.9;
const LEAST_RISES = 3;

/** Something that only ever grew. */
export interface Growth {
  /** After the first iterations, and at the end. */
  readonly fromBytes: number;
  readonly toBytes: number;
  readonly bytesPerIteration: number;
  /** How many of the iterations it grew in. */
  readonly grewIn: number;
  readonly of: number;
  /** `every iteration`: in at least 9 of 10; `again and again`: seldomer, from beginning to end. */
  readonly pattern: 'every iteration' | 'again and again';
}

/** null for what shrinks at times, stops growing, or was seen too shortly. */
export function growth(changes: readonly PartChange[], iterations: number): Growth | null {
  const steps = iterations - 1 - WARM_UP;
  if (steps < LEAST_STEPS) return null;
  let [from, now] = [0, 0];
  const rises: number[] = [];
  for (const { at, bytes } of changes) {
    const next = bytes ?? 0;
    if (at <= WARM_UP) from = next;
    else if (next < now) return null;
    else if (next > now) rises.push(at);
    now = next;
  }
  const every = rises.length >= NEARLY_ALL * steps;
  if (!every && !isSpread(rises, steps)) return null;
  return {
    fromBytes: from,
    toBytes: now,
    bytesPerIteration: (now - from) / steps,
    grewIn: rises.length,
    of: steps,
    pattern: every ? 'every iteration' : 'again and again',
  };
}

/** Rises in the last quarter and in at least two others: it goes on. */
function isSpread(rises: readonly number[], steps: number): boolean {
  const quarter = (at: number) => Math.min(3, Math.floor((4 * (at - WARM_UP - 1)) / steps));
  const quarters = new Set(rises.map(quarter));
  return rises.length >= LEAST_RISES && quarters.has(3) && quarters.size >= 3;
}

/** A series of values as changes. */
export function changesOf(values: Float64Array): PartChange[] {
  const changes: PartChange[] = [];
  for (let at = 0; at < values.length; at++) {
    if (at === 0 || values[at] !== values[at - 1]) changes.push({ at, bytes: values[at]! });
  }
  return changes;
}
