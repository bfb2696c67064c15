import type { TestCase, TestModule } from 'vitest/node';
import type { Reporter } from 'vitest/reporters';

/** The skips that are allowed everywhere (shared.ts and torch.ts, which declare tests and cannot be imported here). */
const ALLOWED = ['[skipped: no ../shared/data', 'cannot be installed here]'];

/**
 * Closes a run with one plain line of counts. Where nothing may skip (HIGHWATER_NO_SKIP=1), a
 * skipped test fails the run: on our own machines every program that tests need is installed.
 */
export default class CountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const ended = (...states: string[]) =>
      tests.filter((test) => states.includes(test.result().state));
    const skipped = ended('skipped', 'pending');
    const forbidden = skipped.filter(({ name }) => !ALLOWED.some((why) => name.includes(why)));
    if (forbidden.length > 0 && process.env.HIGHWATER_NO_SKIP === '1') {
      console.error('skipped, which HIGHWATER_NO_SKIP=1 does not allow:');
      for (const test of forbidden) console.error(`  ${described(test)}`);
      process.exitCode = 1;
    }
    // A file that could not be read or set up failed, though none of its tests did.
    const broken = modules.filter(
      (module) =>
        module.state() === 'failed' &&
        [...module.children.allTests()].every((test) => test.result().state !== 'failed'),
    );
    const failed = ended('failed').length + broken.length;
    console.log(`${ended('passed').length} passed, ${failed} failed, ${skipped.length} skipped`);
  }
}

function described(test: TestCase): string {
  const result = test.result();
  const note = result.state === 'skipped' ? result.note : undefined;
  return `${test.module.relativeModuleId}: ${test.fullName}${note ? ` (${note})` : ''}`;
}
