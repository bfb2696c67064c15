import { defineConfig } from 'vitest/config';
import LongestFirst from './test/support/longest-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    // The end-to-end tests start real workloads: two cores, two files at a time.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/support/tally.ts'],
    setupFiles: [
      './test/support/each-file.ts',
      ...(process.env.HIGHWATER_COVERAGE ? ['./test/support/coverage.ts'] : []),
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A second, as by default, is little for a page on a busy machine.
    expect: { poll: { timeout: 15_000 } },
    // The models are small: torch's threads would only wait for each other, spinning.
    env: { TZ: 'UTC', NO_COLOR: '1', OMP_NUM_THREADS: '1' },
  },
});
