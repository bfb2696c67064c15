/** What the program was doing, over the events of a trace. */
export const PHASE = { setup: 0, between: 1, forward: 2, backward: 3, optimizer: 4 } as const;
export type Phase = (typeof PHASE)[keyof typeof PHASE];

/** Stretches while they are found: kinds and first events. */
export interface PhaseList {
  readonly kind: Phase[];
  readonly start: number[];
}

/** Takes down stretches in the order of their events. */
export class PhaseWriter implements PhaseList {
  readonly kind: Phase[] = [];
  readonly start: number[] = [];

  get now(): Phase {
    return this.kind.at(-1) ?? PHASE.setup;
  }

  /** Goes on in a phase, which begins here unless it already lasts. */
  turn(kind: Phase, start: number): void {
    if (this.kind.length === 0 || this.now !== kind) this.begin(kind, start);
  }

  /** Begins a stretch, even after one of its own kind. */
  begin(kind: Phase, start: number): void {
    const last = this.kind.length - 1;
    // An optimizer step without any event between its annotations still ends a step.
    if (last >= 0 && this.start[last]! >= start && this.kind[last] !== PHASE.optimizer) {
      this.kind[last] = kind;
      return;
    }
    if (last >= 0 && this.start[last] === start && this.kind[last] === kind) return;
    this.kind.push(kind);
    this.start.push(start);
  }
}
