import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { report } from '../../src/analyses/report.ts';
import { packFolder } from '../../src/model/disk/pack.ts';
import { createFolder, saveRecording } from '../../src/model/disk/save.ts';
import { openInput } from '../../src/open/open.ts';
import { allRows } from '../support/rows.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'highwater-saved-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(['streams', 'expandable', 'oom_batch', 'graph_pinned'])('the snapshot %s', (name) => {
  it('says the same as a recording, and packed', async () => {
    const snapshot = await openInput(`test/fixtures/snapshots/${name}.pickle.gz`);
    const saved = join(folder, `${name}.hw`);
    createFolder(saved, false);
    saveRecording(snapshot, saved);
    const packed = join(folder, `${name}.hwz`);
    packFolder(saved, packed, false);
    const { devices, warnings, recording } = report(snapshot);
    for (const path of [saved, packed]) {
      const again = await openInput(path);
      expect(allRows(again)).toEqual(allRows(snapshot));
      expect(again.run).toEqual(snapshot.run);
      expect(report(again)).toMatchObject({ devices, warnings, recording });
    }
  });
});
