import { spawn } from 'node:child_process';
import { closeSync, writeSync } from 'node:fs';
import type { Libc } from './libc.ts';

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
export class Guard {
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
      .on('error', () => {}) // no shell, no guard: the docs say what that means
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
