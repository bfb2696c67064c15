import type { Socket } from 'node:net';
import type { ReadStream } from 'node:tty';

/** Told of every chunk before it is passed on. */
export type Listener = (chunk: Buffer) => void;

/** The last output of a workload is on its way no longer than this. */
const QUIET_MS = 100;

/** Passes bytes on to one of our own streams, at the pace at which that one takes them. */
export class Relay {
  readonly #source: Socket | ReadStream;
  #lastByte = performance.now();
  #waiting = false;
  #ended = false;

  constructor(
    source: Socket | ReadStream,
    target: NodeJS.WriteStream,
    listen: Listener,
    onTargetClosed: () => void,
  ) {
    this.#source = source;
    source.on('data', (chunk: Buffer) => {
      this.#lastByte = performance.now();
      listen(chunk);
      if (target.write(chunk)) return;
      this.#waiting = true;
      source.pause();
      target.once('drain', () => {
        this.#waiting = false;
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
    const started = performance.now();
    const quiet = () => performance.now() - Math.max(started, this.#lastByte) > QUIET_MS;
    while (!this.#ended && (this.#waiting || !quiet())) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    this.#source.destroy();
  }
}
