import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { TestModule } from 'vitest/node';
import type { Reporter } from 'vitest/reporters';

/** How one file's tests ended. */
export interface FileTally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Of those skipped, the ones that may be everywhere. */
  readonly allowed: number;
}

/** By file; where several runs make up one (scripts/test.ts), a file's last run counts. */
export type Tallies = Readonly<Record<string, FileTally>>;

/** See shared.ts and torch.ts, which cannot be imported here: they declare tests. */
const ALLOWED = ['[skipped: no ../shared/data', 'cannot be installed here]'];

const KEPT = process.env.HIGHWATER_TALLY;

/**
 * Closes a run with one plain line of counts. Where nothing may skip (HIGHWATER_NO_SKIP=1), a
 * skipped test fails the run: on our own machines every program that tests need is installed.
 */
export default class Tally implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tallies: Record<string, FileTally> = { ...readTallies(KEPT) };
    for (const module of modules) {
      tallies[relative(process.cwd(), module.moduleId)] = tallyOf(module);
    }
    if (KEPT) writeFileSync(KEPT, JSON.stringify(tallies));
    const sum = (of: keyof FileTally) =>
      Object.values(tallies).reduce((total, tally) => total + tally[of], 0);
    console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
    if (sum('skipped') > sum('allowed') && process.env.HIGHWATER_NO_SKIP === '1') {
      console.error('skipped tests are not allowed here (HIGHWATER_NO_SKIP=1)');
      process.exitCode = 1;
    }
  }
}

export function readTallies(path: string | undefined): Tallies {
  if (!path || !existsSync(path)) return {};
  return JSON.parse(readFileSync(path, 'utf8')) as Tallies;
}

function tallyOf(module: TestModule): FileTally {
  const tests = [...module.children.allTests()];
  const ended = (...states: string[]) =>
    tests.filter((test) => states.includes(test.result().state));
  const skipped = ended('skipped', 'pending');
  const failed = ended('failed').length;
  return {
    passed: ended('passed').length,
    // A file that could not be read or set up failed, though none of its tests did.
    failed: module.state() === 'failed' ? Math.max(failed, 1) : failed,
    skipped: skipped.length,
    allowed: skipped.filter(({ name }) => ALLOWED.some((why) => name.includes(why))).length,
  };
}
