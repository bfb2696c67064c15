import { spawn } from 'node:child_process';
import { closeSync, writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { ReadStream } from 'node:tty';
import type { BulkRelay } from './bulk-relay.ts';
import type { Libc } from './libc.ts';

/**
 * Told of every chunk before it is passed on, and to which of our streams it goes. What it returns is done when
 * the chunk is on its way: whoever waits for the output does not wait for that.
 */
export type OutputListener = (chunk: Buffer, target: 1 | 2) => () => void;

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

/** As much as Node reads at once: there may be more. */
const FULL_READ = 1 << 16;

/** Passes bytes on to a stream, mostly one of our own, at the pace at which that one takes them. */
export class Relay {
  readonly #source: Socket | ReadStream;
  readonly #forget: () => void;
  #quietLooks = 0;
  #waiting = false;
  #ended = false;
  #freeSince = 0;

  constructor(
    source: Socket | ReadStream,
    target: Writable,
    listen: (chunk: Buffer) => () => void,
    onTargetClosed: () => void,
    bulk: BulkRelay | null,
  ) {
    this.#source = source;
    source.on('data', (chunk: Buffer) => {
      this.#quietLooks = 0;
      const look = listen(chunk);
      target.write(chunk);
      look();
      if (bulk && chunk.length >= FULL_READ) bulk.passOn(listen);
      // A stream asks to wait after each full chunk, even when all of it is gone already.
      if (!target.writableNeedDrain || target.writableLength === 0) {
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
    const closed = () => {
      this.#ended = true;
      source.destroy();
      onTargetClosed();
    };
    target.on('error', closed);
    this.#forget = () => target.off('error', closed);
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
    this.#forget();
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

/** A descriptor that the workload's output comes from, and which of our own streams it goes to. */
export interface Outlet {
  readonly source: number;
  readonly target: 1 | 2;
  readonly isTerminal: boolean;
}

/**
 * Takes over when the recorder dies, so that the workload outlives it: a shell that holds the
 * reading ends of the workload's output and waits on a pipe whose other end only the recorder has.
 * A word on that pipe dismisses it; its closing (the recorder was killed) makes it pass the output
 * on by itself. It is in a session of its own, where Ctrl-C and a kill of our group miss it.
 */
export class FallbackRelay {
  readonly #lifeline: number;
  #dismissed = false;

  constructor(libc: Libc, workloadPid: number, outlets: readonly Outlet[]) {
    const [waitEnd, lifeline] = libc.pipe();
    this.#lifeline = lifeline;
    // Not as its streams 1 and 2: those would be set to blocking mode, for us as well, and a reader
    // who pauses would stop our whole event loop.
    const passOn = outlets.map((outlet, i) => passingOn(outlet, 6 + i, workloadPid));
    const script = [
      'read -r word <&3 && exit',
      '[ -t 4 ] && stty sane <&4', // the recorder left the terminal as it had set it
      ...passOn,
      'wait',
    ].join('\n');
    const stdio = ['ignore', 'ignore', 'ignore', waitEnd, 1, 2] as const;
    const sources = outlets.map(({ source }) => source);
    spawn('/bin/sh', ['-c', script, 'highwater-guard'], {
      stdio: [...stdio, ...sources],
      detached: true,
    })
      .on('error', () => {}) // without a shell nothing takes over: the docs say what that means
      .unref();
    closeSync(waitEnd);
  }

  dismiss(): void {
    if (this.#dismissed) return;
    this.#dismissed = true;
    try {
      writeSync(this.#lifeline, 'bye\n');
    } catch {} // It is gone already.
    closeSync(this.#lifeline);
  }
}

/**
 * Node leaves its descriptors in non-blocking mode, which is shared with ours. A pipe can be opened
 * anew, a socket is taken as it is; a terminal's master cannot, so there `cat` ends whenever there
 * is nothing to read.
 */
function passingOn({ target, isTerminal }: Outlet, fd: number, workloadPid: number): string {
  const to = target + 3;
  if (!isTerminal) return `{ cat /dev/fd/${fd} >/dev/fd/${to} || cat /dev/fd/${fd} >&${to}; } &`;
  return `while kill -0 ${workloadPid}; do cat <&${fd} >&${to}; sleep 0.1; done &`;
}
