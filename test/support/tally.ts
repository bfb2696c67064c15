import type { TestModule } from 'vitest/node';
import type { Reporter } from 'vitest/reporters';

/**
 * Closes a run with one plain line of counts. Where nothing may skip (HIGHWATER_NO_SKIP=1), a
 * skipped test fails the run: on our own machines every program that tests need is installed.
 */
export default class Tally implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) counts[test.result().state]++;
    }
    const skipped = counts.skipped + counts.pending;
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${skipped} skipped`);
    if (skipped > 0 && process.env.HIGHWATER_NO_SKIP === '1') {
      console.error('skipped tests are not allowed here (HIGHWATER_NO_SKIP=1)');
      process.exitCode = 1;
    }
  }
}
