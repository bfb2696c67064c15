import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    // The end-to-end tests start real workloads: two cores, two files at a time.
    maxWorkers: 2,
    reporters: ['default', './test/support/tally.ts'],
    // Real programs on two busy cores lose a race now and then: one more try, and the tally names them.
    retry: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { TZ: 'UTC', NO_COLOR: '1' },
  },
});
