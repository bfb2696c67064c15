import { SECOND_NS } from '../../base/time.ts';

/** Lateness is counted in steps of 5 µs up to 50 ms; beyond that only the largest is exact. */
const STEP_NS = 5_000;
const STEPS = 10_000;

/**
 * Absolute deadlines: tick n is due at start + n/rate, whatever earlier ticks took, so that the
 * rate does not drift. A tick whose time has passed altogether is counted as missed, not made up.
 */
export class Pacer {
  readonly #periodNs: number;
  readonly #startNs: number;
  readonly #histogram = new Uint32Array(STEPS);
  #next = 0;
  #worst = 0;
  ticks = 0;
  missed = 0;

  constructor(rateHz: number, startNs: number) {
    this.#periodNs = SECOND_NS / rateHz;
    this.#startNs = startNs;
  }

  /** When the next tick is due. */
  get deadline(): number {
    return this.#startNs + this.#next * this.#periodNs;
  }

  /** Notes that the tick due now is being taken at `now`, and moves on to the next one ahead. */
  take(now: number): void {
    const late = Math.max(0, now - this.deadline);
    const passed = Math.floor(late / this.#periodNs);
    this.#histogram[Math.min(STEPS - 1, Math.floor(late / STEP_NS))]!++;
    this.#worst = Math.max(this.#worst, late);
    this.ticks++;
    this.missed += passed;
    this.#next += passed + 1;
  }

  latenessMs(): { p50: number; p99: number; max: number } | null {
    if (this.ticks === 0) return null;
    return {
      p50: this.#quantile(0.5) / 1e6,
      p99: this.#quantile(0.99) / 1e6,
      max: this.#worst / 1e6,
    };
  }

  #quantile(q: number): number {
    let left = q * this.ticks;
    for (let step = 0; step < STEPS; step++) {
      left -= this.#histogram[step]!;
      if (left <= 0) return step === STEPS - 1 ? this.#worst : (step + 1) * STEP_NS;
    }
    return this.#worst;
  }
}
