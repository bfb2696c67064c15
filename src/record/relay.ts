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

/** Passes bytes on to one of our own streams, at the pace at which that one takes them. */
export class Relay {
  readonly #source: Socket | ReadStream;
  #quietLooks = 0;
  #waiting = false;
  #ended = false;

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
      if (target.write(chunk)) return;
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

  /** Lets go of what is still on its way, as nobody takes it. */
  abandon(): void {
    this.#ended = true;
  }
}
