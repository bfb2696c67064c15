import type { Socket } from 'node:net';
import type { ReadStream } from 'node:tty';

/** Told of every chunk before it is passed on, and to which of our streams it goes. */
export type Listener = (chunk: Buffer, target: 1 | 2) => void;

/**
 * The last output of a workload is on its way no longer than this many looks without any. Looks
 * are counted, not time: on a busy machine much of that passes without the event loop having a turn.
 */
const QUIET_LOOKS = 20;
const LOOK_MS = 5;

/**
 * Small pieces that come one right after the other are let gather for a moment: waking up for each
 * line of a busy log costs both sides more than the line. Neither a pipe nor a terminal fills up
 * in that time, or the pieces would not be small.
 */
const SMALL_BYTES = 2048;
const BUSY_MS = 1;
const REST_MS = 2;

/** Passes bytes on to one of our own streams, at the pace at which that one takes them. */
export class Relay {
  readonly #source: Socket | ReadStream;
  #quietLooks = 0;
  #waiting = false;
  #ended = false;
  #freeSince = 0;

  constructor(
    source: Socket | ReadStream,
    target: NodeJS.WriteStream,
    listen: (chunk: Buffer) => void,
    onTargetClosed: () => void,
  ) {
    this.#source = source;
    source.on('data', (chunk: Buffer) => {
      this.#quietLooks = 0;
      listen(chunk);
      if (target.write(chunk)) {
        this.#restIfBusy(chunk.length);
        return;
      }
      this.#waiting = true;
      source.pause();
      target.once('drain', () => {
        this.#waiting = false;
        this.#quietLooks = 0;
        source.resume();
      });
    });
    // A terminal whose other side is closed answers EIO: that is its end, no failure.
    source.on('error', () => source.destroy());
    source.on('close', () => {
      this.#ended = true;
    });
    target.on('error', () => {
      this.#ended = true;
      source.destroy();
      onTargetClosed();
    });
  }

  /**
   * Waits for what is still on its way. The workload's end is its exit, not the closing of its
   * pipes: a daemon it left behind may hold them for ever.
   */
  async drain(): Promise<void> {
    this.#quietLooks = 0;
    while (!this.#ended && this.#quietLooks < QUIET_LOOKS) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      if (!this.#waiting) this.#quietLooks++;
    }
    this.#source.destroy();
  }

  #restIfBusy(bytes: number): void {
    const now = performance.now();
    const busy = now - this.#freeSince < BUSY_MS && bytes < SMALL_BYTES;
    this.#freeSince = now;
    if (!busy) return;
    this.#source.pause();
    setTimeout(() => {
      this.#freeSince = performance.now();
      if (!this.#waiting) this.#source.resume();
    }, REST_MS);
  }

  /** Lets go of what is still on its way, as nobody takes it. */
  abandon(): void {
    this.#ended = true;
  }
}
