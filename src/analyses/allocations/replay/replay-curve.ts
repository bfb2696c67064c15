/** More than a picture has columns. */
const MOST_STRETCHES = 1500;

/** Events in each stretch of a trace, so that there are not too many of them. */
export const stretchOf = (events: number) => Math.max(1, Math.ceil(events / MOST_STRETCHES));

/** What was reserved over the events of a trace, in stretches of equally many events. */
export interface ReplayCurve {
  /** Events in each stretch but the last. */
  readonly stretch: number;
  /** The most in each stretch, its beginning included. Where the program dies there are no more. */
  readonly reserved: Float64Array;
  /** How often all caches were given back in each because a request found no memory. */
  readonly retries: Uint32Array;
}

/** Takes down a replay's curve. It is told of changes only: between them nothing is to be done. */
export class CurveKeeper {
  readonly #stretch: number;
  readonly #reserved: Float64Array;
  readonly #retries: Uint32Array;
  #at = 0;
  #now = 0;

  constructor(events: number) {
    this.#stretch = stretchOf(events);
    const stretches = Math.max(1, Math.ceil(events / this.#stretch));
    this.#reserved = new Float64Array(stretches);
    this.#retries = new Uint32Array(stretches);
  }

  /** With so much the trace begins, whatever was noted before. */
  begin(reserved: number): void {
    this.#now = reserved;
    this.#reserved[0] = reserved;
  }

  /** From this event on so much is reserved. */
  note(event: number, reserved: number): void {
    this.#goTo(event);
    this.#now = reserved;
    if (reserved > this.#reserved[this.#at]!) this.#reserved[this.#at] = reserved;
  }

  noteRetry(event: number): void {
    this.#goTo(event);
    this.#retries[this.#at]!++;
  }

  forgetRetries(): void {
    this.#retries.fill(0);
  }

  /** The curve up to this event. */
  upTo(event: number): ReplayCurve {
    this.#goTo(event);
    const stretches = this.#at + 1;
    return {
      stretch: this.#stretch,
      reserved: this.#reserved.slice(0, stretches),
      retries: this.#retries.slice(0, stretches),
    };
  }

  #goTo(event: number): void {
    // What happens before the first event counts with the first stretch.
    const to = Math.floor(Math.max(event, 0) / this.#stretch);
    while (this.#at < to) this.#reserved[++this.#at] = this.#now;
  }
}
