import { defineConfig } from 'vitest/config';

/** These look at the memory of the whole machine, so that nothing else may run beside them. */
const ALONE = ['test/leak/planted.test.ts'];

export default defineConfig({
  test: {
    reporters: ['default', './test/support/tally.ts'],
    // The end-to-end tests start real workloads: two cores, two files at a time.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'all',
          include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
          exclude: ALONE,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: ALONE,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
    // Real programs on two busy cores lose a race now and then: one more try, and the tally names them.
    retry: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { TZ: 'UTC', NO_COLOR: '1' },
  },
});
