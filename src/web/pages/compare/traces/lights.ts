import type { LitRow } from './lit.ts';

/** What shines, and how a reader makes something shine. */
export interface Lights {
  /** What the pointer is on, or else what was chosen. */
  readonly lit: LitRow | null;
  readonly pinned: LitRow | null;
  point(row: LitRow | null): void;
  /** Chosen until it is chosen again. */
  choose(row: LitRow): void;
}
