import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFolder, saveRecording } from '../../src/model/disk/save.ts';
import { fitSweep } from '../../src/sweep/fit.ts';
import { newManifest } from '../../src/sweep/manifest.ts';
import { plannedRuns } from '../../src/sweep/plan.ts';
import { openSweep } from '../../src/sweep/result.ts';
import { sweepText } from '../../src/views/sweep/sweep.ts';
import { drawRecording } from '../analyses/drawn.ts';
import { tempFolder } from '../support/files.ts';

const HOST = { MemTotal: [900, 900, 900], MemAvailable: [500, 300, 490] };
const FULL = { ns: 2e9, why: 'no space left on the disk (ENOSPC)', code: 'ENOSPC' };
const PLAN = {
  name: 'x',
  command: ['x', '{k}'],
  env: [],
  params: [{ name: 'k', values: ['a', 'b', 'c'] }],
  repeat: 1,
  recordFlags: [],
};

/** A sweep's folder with a recording for each run: `rss` in MiB, or null for a run over at once. */
function folderOf(
  peaks: Record<string, number | null>,
  jobs: number,
  cut: readonly string[] = [],
  plan = PLAN,
) {
  const folder = tempFolder();
  const manifest = newManifest(plan, plannedRuns(plan), jobs);
  const runs = manifest.runs.map((run) => ({ ...run, state: 'done' as const, exitCode: 0 }));
  for (const [k, peak] of Object.entries(peaks)) {
    const place = join(folder, `k=${k}.hw`);
    createFolder(place, false);
    const processes =
      peak === null ? [] : [{ pid: 1, role: 'main', rss: [1, peak, 1], pss: [1, peak, 1] }];
    saveRecording(
      drawRecording({
        at: [0, 1, 2],
        host: HOST,
        processes,
        marks: ['start@0', 'end@2'],
        run: cut.includes(k) ? { stopped: FULL } : {},
      }),
      place,
    );
  }
  return openSweep(folder, { ...manifest, runs });
}

describe('a sweep with recordings that stopped early', () => {
  const sizes = { ...PLAN, params: [{ name: 'k', values: ['1', '2', '4', '8'] }] };
  const opened = () => folderOf({ 1: 10, 2: 20, 4: 40, 8: 5 }, 1, ['8'], sizes);

  it('marks their peaks, calls them no good run, and says so', () => {
    const { result } = opened();
    const { combinations, differences, notes } = result;
    expect(combinations.map(({ well }) => well)).toEqual([true, true, true, false]);
    expect(combinations[3]!.runs[0]).toMatchObject({ incomplete: true, state: 'done' });
    expect(differences.flatMap(({ a, b }) => [a, b])).not.toContain('k=8');
    expect(notes.join('\n')).toMatch(/1 recording stopped before the run did: .* a lower bound/);
    expect(sweepText(result)).toMatch(/k=8\.hw is incomplete: the recording stops at/);
  });

  it('fits the others only', () => {
    const { notes, groups } = fitSweep(opened(), { limitBytes: 2 ** 30 });
    expect(notes[0]).toMatch(/^1 run left out: the recording stopped before the run did/);
    expect(groups[0]!.curves[0]!.measured.map(({ value }) => value)).toEqual([1, 2, 4]);
    const cut = folderOf({ 1: 10, 2: 20, 4: 40, 8: 5 }, 1, ['1', '2', '4', '8'], sizes);
    expect(() => fitSweep(cut, { limitBytes: 2 ** 30 })).toThrow(
      /no run was measured that could be fitted: the recordings stopped/,
    );
  });
});

describe('a sweep read from its folder', () => {
  it('is not dragged down to the machine’s figures by a run that was over at once', () => {
    const { series, combinations, notes } = folderOf({ a: 40, b: null, c: 90 }, 1).result;
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
    expect(folderOf({ a: null, b: null, c: null }, 1).result.series).toBe('host.used');
  });

  it('names recordings that were taken away, and runs that went side by side', () => {
    const { notes, combinations } = folderOf({ a: 40, b: 50 }, 2).result;
    expect(notes).toEqual([
      expect.stringMatching(
        /^up to 2 runs went side by side: .*, so the figures are of tree\.pss$/,
      ),
      'k=c.hw is not there any more',
    ]);
    expect(combinations.map((row) => row.measured)).toEqual([1, 1, 0]);
  });
});
