import { openSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { makeCase } from './case.ts';
import type { Target } from './target.ts';
import { targets } from './targets.ts';

/**
 * Runs mutants one after the other in a process that another watches (runner.ts). Which one it is at
 * stands in a file, so that one that hangs or takes all memory is known when the process is ended.
 */

/** Mutants of one target: numbers from `from` up to and without `to`. */
export interface Stretch {
  readonly target: string;
  readonly seed: number;
  readonly from: number;
  readonly to: number;
}

export interface Failure {
  readonly target: string;
  readonly seed: number;
  readonly number: number;
  readonly what: string;
}

/** What came of a stretch. */
export interface Tally {
  readonly cases: number;
  /** Mutants that were read, not refused. */
  readonly read: number;
  /** Mutants of a format with checksums, and those of them that fit. */
  readonly summed: number;
  readonly behind: number;
  readonly slowest: { readonly ms: number; readonly number: number };
  readonly failures: readonly Failure[];
  /** Where it went on to: less than `to` where the process must be left. */
  readonly next: number;
}

/** A mutant may not make the process larger: nothing may be allocated because a header claims it. */
export const MAX_BYTES = 1024 ** 3;

async function run(target: Target, { seed, from, to }: Stretch, progress: number): Promise<Tally> {
  const tally = { cases: 0, read: 0, summed: 0, behind: 0, slowest: { ms: 0, number: from } };
  const failures: Failure[] = [];
  const place = new Float64Array(1);
  for (let number = from; number < to; number++) {
    place[0] = number;
    writeSync(progress, place, 0, 8, 0);
    const start = performance.now();
    const fail = (what: string) => failures.push({ target: target.id, seed, number, what });
    try {
      const { files, next } = makeCase(target, seed, number);
      const { read, behind } = await target.attempt(files, next);
      if (read) tally.read++;
      if (behind !== null) tally.summed++;
      if (behind) tally.behind++;
    } catch (error) {
      fail(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
    const ms = performance.now() - start;
    tally.cases++;
    if (ms > tally.slowest.ms) tally.slowest = { ms, number };
    const grown = process.resourceUsage().maxRSS * 1024;
    if (grown > MAX_BYTES) {
      fail(`the process grew to ${grown} bytes`);
      return { ...tally, failures, next: number + 1 };
    }
  }
  return { ...tally, failures, next: to };
}

// Tests run in processes that have a parent too.
if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  const progress = openSync(process.argv[2]!, 'w');
  const known = new Map(targets().map((target) => [target.id, target]));
  process.on('message', async (stretch: Stretch) => {
    process.send!(await run(known.get(stretch.target)!, stretch, progress));
  });
  process.send('ready');
}
