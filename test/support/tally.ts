import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { TestModule } from 'vitest/node';
import type { Reporter } from 'vitest/reporters';

/** See shared.ts and torch.ts, which cannot be imported here: they declare tests. */
const ALLOWED = ['[skipped: no ../shared/data', 'cannot be installed here]'];

/** Counts of the runs before this one, where there are several (scripts/test.ts). */
const EARLIER = process.env.HIGHWATER_TALLY;

/**
 * Closes a run with one plain line of counts. Where nothing may skip (HIGHWATER_NO_SKIP=1), a
 * skipped test fails the run: on our own machines every program that tests need is installed.
 */
export default class Tally implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const { counts, allowed: before } = earlier();
    let allowed = before;
    const shaky: string[] = [];
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        counts[state]++;
        if (test.diagnostic()?.flaky) shaky.push(test.fullName);
        if (state === 'skipped' && ALLOWED.some((why) => test.name.includes(why))) allowed++;
      }
    }
    if (EARLIER) writeFileSync(EARLIER, JSON.stringify({ counts, allowed }));
    const skipped = counts.skipped + counts.pending;
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${skipped} skipped`);
    for (const name of shaky) console.log(`passed at the second try only: ${name}`);
    if (skipped > allowed && process.env.HIGHWATER_NO_SKIP === '1') {
      console.error('skipped tests are not allowed here (HIGHWATER_NO_SKIP=1)');
      process.exitCode = 1;
    }
  }
}

function earlier() {
  const none = { counts: { passed: 0, failed: 0, skipped: 0, pending: 0 }, allowed: 0 };
  if (!EARLIER || !existsSync(EARLIER)) return none;
  return JSON.parse(readFileSync(EARLIER, 'utf8')) as typeof none;
}
