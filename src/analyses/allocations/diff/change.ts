import type { NumberOrNaN } from '../../../base/stats.ts';

/** One figure of two runs: `difference` is `b` less `a`. */
export interface Change {
  readonly a: NumberOrNaN;
  readonly b: NumberOrNaN;
  readonly difference: NumberOrNaN;
}

export const change = (a: number, b: number): Change => ({ a, b, difference: b - a });

/** What a part of memory held in both. */
export interface Share {
  readonly bytes: Change;
  readonly allocations: Change;
}

export interface Held {
  readonly bytes: number;
  readonly allocations: number;
}

const NOTHING: Held = { bytes: 0, allocations: 0 };

export function share(a: Held = NOTHING, b: Held = NOTHING): Share {
  return { bytes: change(a.bytes, b.bytes), allocations: change(a.allocations, b.allocations) };
}

export function heldBy(parts: readonly Held[]): Held {
  return parts.reduce(
    (sum, part) => ({
      bytes: sum.bytes + part.bytes,
      allocations: sum.allocations + part.allocations,
    }),
    NOTHING,
  );
}

export const sumOf = (shares: readonly Share[]): Share =>
  share(
    heldBy(
      shares.map(({ bytes, allocations }) => ({ bytes: bytes.a, allocations: allocations.a })),
    ),
    heldBy(
      shares.map(({ bytes, allocations }) => ({ bytes: bytes.b, allocations: allocations.b })),
    ),
  );

/** Where most changed comes first. */
export const byChange = (x: Share, y: Share) =>
  Math.abs(y.bytes.difference) - Math.abs(x.bytes.difference) || y.bytes.b - x.bytes.b;
