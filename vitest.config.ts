import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';
import LongestFirst from './test/support/longest-first.ts';

const FOLDERS = ['test', 'examples'];

/** They look at the memory of the whole machine, or record several programs at once: one at a time, when all others have ended. */
const ALONE = [
  'test/gauntlet/quick.test.ts',
  'test/leak/kinds.test.ts',
  'test/leak/left-behind.test.ts',
];

/**
 * Trainings, launchers, gauntlets, whole sweeps, every command of the documents and the packed package: a
 * stage of their own (`npm run test:long`), so that `npm test` stays what one runs before each commit.
 */
const LONG = [
  'examples/engine/engine.test.ts',
  'test/metrics/record.test.ts',
  'test/record/host-peak.test.ts',
  'test/heap/heap-command.test.ts',
  'test/web/heap.test.ts',
  'test/web/flame.test.ts',
  'test/web/map-flame.test.ts',
  'test/sweep/folder.test.ts',
  'test/fit/sweep.test.ts',
  'test/faults/disk.test.ts',
  'test/faults/endings.test.ts',
  'test/allocations/one-judgement.test.ts',
  'test/allocations/read-beside.test.ts',
  'test/sources/nvml/record.test.ts',
  'test/web/compare.test.ts',
  'test/web/contrast.test.ts',
  'test/web/layers.test.ts',
  'test/web/live.test.ts',
  'test/web/map.test.ts',
  'test/web/one-file.test.ts',
  'test/web/first-paint.test.ts',
  'test/web/gestures.test.ts',
  'test/web/peaks.test.ts',
  'test/web/overview-doors.test.ts',
  'test/web/viewer.test.ts',
  'test/web/phone.test.ts',
  'test/web/recordings.test.ts',
  'test/web/share.test.ts',
  'test/web/tables.test.ts',
  'test/web/timeline.test.ts',
  'test/web/what-if.test.ts',
  'test/allocations/what-if/recorded-run.test.ts',
  'test/allocations/what-if/smallest.test.ts',
  'test/allocations/what-if/truth.test.ts',
  'test/agent/agent-flags.test.ts',
  'test/agent/injection.test.ts',
  'test/agent/launchers.test.ts',
  'test/job/launched.test.ts',
  'test/agent/node-agent.test.ts',
  'test/agent/programs.test.ts',
  'test/agent/frameworks.test.ts',
  'test/agent/torch.test.ts',
  'test/agent/training.test.ts',
  'test/docs/examples.test.ts',
  'test/faults/cuts.test.ts',
  'test/faults/killed.test.ts',
  'test/fit/left-out.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/heap/attach.test.ts',
  'test/heap/busy-python.test.ts',
  'test/heap/growth.test.ts',
  'test/heap/plain-python.test.ts',
  'test/leak/simulation/simulation.test.ts',
  'test/notebook/magic.test.ts',
  'test/notebook/recording.test.ts',
  'test/package/package.test.ts',
  'test/package/wheel.test.ts',
  'test/record/never-in-the-way.test.ts',
  'test/record/own-memory.test.ts',
  'test/marks/live.test.ts',
  'test/schemas/outputs.test.ts',
  'test/snapshot/training.test.ts',
  'test/check/pytest.test.ts',
  'test/redaction/fixtures.test.ts',
  'test/redaction/planted.test.ts',
  'test/scripts/new.test.ts',
  'test/sweep/sweep.test.ts',
  'test/verdict/every-output.test.ts',
  'test/verdict/hostile.test.ts',
  'test/verdict/questions.test.ts',
];

/** Against real servers, which a stage of their own (`npm run test:fleet`) installs and starts. */
const FLEET = 'test/fleet/**/*.test.ts';

/** What a test does to the process it is in, or measures of it: such a file gets a process of its own. */
const CHANGES_PROCESS = /\bvi\.|process\.chdir|process\.env\.\w+ = |expectMemory/;
const ISOLATED = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, name))
    .filter(
      (path) =>
        !path.startsWith('test/fleet/') &&
        ![...ALONE, ...LONG].includes(path) &&
        CHANGES_PROCESS.test(readFileSync(path, 'utf8')),
    ),
);

const isCoverage = process.env.HIGHWATER_COVERAGE !== undefined;

const common = {
  setupFiles: [
    './test/support/each-file.ts',
    ...(isCoverage ? ['./test/support/coverage.ts'] : []),
  ],
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // A second, as by default, is little for a page on a busy machine.
  expect: { poll: { timeout: 15_000 } },
  // The models are small: torch's threads would only wait for each other, spinning.
  env: { TZ: 'UTC', NO_COLOR: '1', OMP_NUM_THREADS: '1' },
} satisfies ViteUserConfig['test'];

/** Builds and trainings take a minute where the machine is busy, and that is no fault of theirs. */
const PATIENT = { testTimeout: 240_000, hookTimeout: 240_000 };

export default defineConfig({
  test: {
    // The end-to-end tests start real workloads: two cores, two files at a time.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/support/counts-reporter.ts'],
    projects: [
      {
        test: {
          ...common,
          name: 'shared',
          include: FOLDERS.map((folder) => `${folder}/**/*.test.ts`),
          exclude: [...configDefaults.exclude, FLEET, ...ALONE, ...LONG, ...ISOLATED],
          // To start a process and import our code takes longer than most of these do. Lines that
          // ran are counted file by file (scripts/coverage.ts).
          isolate: isCoverage,
        },
      },
      { test: { ...common, name: 'isolated', include: ISOLATED } },
      { test: { ...common, ...PATIENT, name: 'long', include: LONG } },
      {
        test: {
          ...common,
          ...PATIENT,
          name: 'fleet',
          globalSetup: './test/fleet/servers/install.ts',
          include: [FLEET],
        },
      },
      {
        test: {
          ...common,
          ...PATIENT,
          name: 'alone',
          setupFiles: [...common.setupFiles, './test/support/alone.ts'],
          include: ALONE,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
