import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import type { RunInfo, SnapshotInfo } from '../../src/model/run.ts';
import { locate } from '../../src/open/locate.ts';
import { openWithTraces } from '../../src/open/open.ts';
import { tempFolder } from '../support/files.ts';

/** The recording of a program that ran out, with a snapshot of that and one of its peak; `changed` edits what run.json says of the latter. */
async function warningsWith(changed: Partial<SnapshotInfo>): Promise<string[]> {
  const folder = join(tempFolder(), 'ran-out.hw');
  mkdirSync(folder);
  const files = unzipSync(readFileSync('test/fixtures/gpu-gauntlet/stream_workspaces.hwz'));
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  const path = join(folder, 'run.json');
  const run = JSON.parse(readFileSync(path, 'utf8')) as RunInfo;
  const snapshots = run.snapshots!.map((one) =>
    one.why === 'peak' ? { ...one, ...changed } : one,
  );
  expect(snapshots.map(({ why }) => why).sort()).toEqual(['oom', changed.why ?? 'peak'].sort());
  writeFileSync(path, JSON.stringify({ ...run, snapshots }));
  const { recording } = await openWithTraces(locate(folder));
  return recording.run.warnings.filter((text) => text.startsWith('further snapshots'));
}

describe('a snapshot at the peak beside one of when memory ran out', () => {
  it('is the same story where that was the peak', async () => {
    expect(await warningsWith({})).toEqual([]);
    expect(await warningsWith({ why: 'end' })).toEqual([]);
  });

  it('is named where it is of another process, another card or another end', async () => {
    for (const other of [{ pid: 1 }, { device: 1 }, { why: 'oom' }] as const) {
      expect(await warningsWith(other)).toEqual([
        expect.stringMatching(/^further snapshots of the allocator: .*peak-1555\.pickle$/),
      ]);
    }
  });
});
