import { describe, expect, it } from 'vitest';
import { SweepProgress } from '../../src/cli/commands/sweep/progress.ts';
import type { SweepFolder } from '../../src/sweep/folder.ts';
import { type ManifestRun, newManifest } from '../../src/sweep/manifest.ts';
import { plannedRuns } from '../../src/sweep/plan.ts';
import { tempFolder } from '../support/files.ts';

const PLAN = {
  name: 'x',
  command: ['x', '{k}'],
  env: [],
  params: [{ name: 'k', values: ['a', 'b', 'c'] }],
  repeat: 1,
  recordFlags: [],
};

/** What is said of a sweep of three runs, the first of which was there before. */
function told(options: { quiet?: boolean; showOutput?: boolean; jobs?: number } = {}) {
  const { quiet = false, showOutput = false, jobs = 1 } = options;
  const manifest = newManifest(PLAN, plannedRuns(PLAN), jobs);
  const sweep: SweepFolder = { folder: tempFolder(), plan: PLAN, manifest, jobs, continued: true };
  let text = '';
  const stream = { isTTY: false, write: (piece: string) => (text += piece) };
  const progress = new SweepProgress(sweep, {
    stream: stream as unknown as NodeJS.WriteStream,
    quiet,
    showOutput,
  });
  const done: ManifestRun = { ...manifest.runs[0]!, state: 'done', exitCode: 0, wallSeconds: 4 };
  const [, second, third] = manifest.runs as [ManifestRun, ManifestRun, ManifestRun];
  progress.sweepBegan([done, second, third], [second, third]);
  progress.runBegan(second);
  const failed = { state: 'failed' as const, exitCode: 3, reason: 'exit code 3', wallSeconds: 6 };
  progress.runEnded({ ...second, ...failed });
  progress.runBegan(third);
  progress.runInterrupted({ ...third, state: 'interrupted' });
  progress.runsOver();
  return text.split('\n').map((line) => line.replace(sweep.folder, 'FOLDER'));
}

describe('the progress of a sweep', () => {
  it('tells each run as it ends, and how long the rest will take', () => {
    expect(told()).toEqual([
      'highwater: 1 of 3 runs are there already',
      '[2/3] k=b: failed, exit code 3 (see FOLDER/k=b.log); about 5 s left',
      'k=c: interrupted',
      '',
    ]);
  });

  it('names no log where there is none, and says what runs side by side mean', () => {
    const [, beside, failed] = told({ showOutput: true, jobs: 2 });
    expect(beside).toBe(
      'highwater: 2 runs side by side: figures of the whole machine or of a GPU will belong to none of them alone',
    );
    expect(failed).toBe('[2/3] k=b: failed, exit code 3; about 5 s left');
  });

  it('is silent where that is asked', () => {
    expect(told({ quiet: true })).toEqual(['']);
  });
});
