import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFolder, saveRecording } from '../../src/model/disk/save.ts';
import { newManifest } from '../../src/sweep/manifest.ts';
import { plannedRuns } from '../../src/sweep/plan.ts';
import { openSweep } from '../../src/sweep/result.ts';
import { drawRecording } from '../analyses/drawn.ts';
import { tempFolder } from '../support/files.ts';

const HOST = { MemTotal: [900, 900, 900], MemAvailable: [500, 300, 490] };
const PLAN = {
  name: 'x',
  command: ['x', '{k}'],
  env: [],
  params: [{ name: 'k', values: ['a', 'b', 'c'] }],
  repeat: 1,
  recordFlags: [],
};

/** A sweep's folder with a recording for each run: `rss` in MiB, or null for a run over at once. */
function folderOf(peaks: Record<string, number | null>, jobs: number) {
  const folder = tempFolder();
  const manifest = newManifest(PLAN, plannedRuns(PLAN), jobs);
  const runs = manifest.runs.map((run) => ({ ...run, state: 'done' as const, exitCode: 0 }));
  for (const [k, peak] of Object.entries(peaks)) {
    const place = join(folder, `k=${k}.hw`);
    createFolder(place, false);
    const processes =
      peak === null ? [] : [{ pid: 1, role: 'main', rss: [1, peak, 1], pss: [1, peak, 1] }];
    saveRecording(
      drawRecording({ at: [0, 1, 2], host: HOST, processes, marks: ['start@0', 'end@2'] }),
      place,
    );
  }
  return openSweep(folder, { ...manifest, runs }).result;
}

describe('a sweep read from its folder', () => {
  it('is not dragged down to the machine’s figures by a run that was over at once', () => {
    const { series, combinations, notes } = folderOf({ a: 40, b: null, c: 90 }, 1);
    expect(series).toBe('tree.pss');
    const MiB = 2 ** 20;
    expect(combinations.map((row) => row.peakBytes?.mean ?? null)).toEqual([
      40 * MiB,
      null,
      90 * MiB,
    ]);
    expect(notes).toEqual(['k=b.hw was too short for a sample of its processes']);
  });

  it('uses the machine’s where nothing else was measured', () => {
    expect(folderOf({ a: null, b: null, c: null }, 1).series).toBe('host.used');
  });

  it('names recordings that were taken away, and runs that went side by side', () => {
    const { notes, combinations } = folderOf({ a: 40, b: 50 }, 2);
    expect(notes).toEqual([
      expect.stringMatching(
        /^up to 2 runs went side by side: .*, so the figures are of tree\.pss$/,
      ),
      'k=c.hw is not there any more',
    ]);
    expect(combinations.map((row) => row.measured)).toEqual([1, 1, 0]);
  });
});
