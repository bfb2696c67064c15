import type { Socket } from 'node:net';
import type { Libc } from './libc.ts';

/** As much as the workload's pipe holds. */
const PIECE_BYTES = 1 << 18;
/** The event loop, which has signals and agents to heed, waits no longer than this. */
const TURN_MS = 4;

/**
 * Passes on a flood (an archive, an array) from a pipe to a pipe or socket in large pieces, without a turn of the event loop,
 * a new buffer and two changes of what is waited for with every 64 KiB, which cost more than the copying. What the
 * reader does not take in time goes to the stream, which keeps the order and waits as long as it takes.
 */
export class BulkRelay {
  readonly #libc: Libc;
  readonly #pipe: number;
  readonly #target: Socket;
  readonly #targetFd: number;
  #buffer: Buffer | null = null;

  constructor(libc: Libc, pipe: number, target: Socket, targetFd: number) {
    this.#libc = libc;
    this.#pipe = pipe;
    this.#target = target;
    this.#targetFd = targetFd;
  }

  /** Passes on what the pipe holds, unless the target has enough. */
  passOn(listen: (chunk: Buffer) => () => void): void {
    const until = performance.now() + TURN_MS;
    while (this.#target.writableLength === 0 && performance.now() < until) {
      this.#buffer ??= Buffer.allocUnsafeSlow(PIECE_BYTES);
      const length = this.#libc.read(this.#pipe, this.#buffer);
      // Its end and its failures are told by the stream that reads it as well.
      if (length <= 0) return;
      const chunk = this.#buffer.subarray(0, length);
      const look = listen(chunk);
      const taken = this.#write(chunk, until);
      if (taken < length) {
        this.#target.write(chunk.subarray(taken));
        this.#buffer = null; // the stream needs it for a while
      }
      look();
      if (taken < length) return;
    }
  }

  /** How many bytes the reader took in time. */
  #write(chunk: Buffer, until: number): number {
    let taken = 0;
    for (;;) {
      taken += Math.max(0, this.#libc.write(this.#targetFd, chunk.subarray(taken)));
      if (taken === chunk.length) return taken;
      const left = Math.ceil(until - performance.now());
      if (left <= 0 || !this.#libc.waitForRoom(this.#targetFd, left)) return taken;
    }
  }
}
