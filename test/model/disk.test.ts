import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/base/errors.ts';
import { folderFiles } from '../../src/model/disk/files.ts';
import { openRecording } from '../../src/model/disk/reader.ts';
import { createFolder, saveRecording } from '../../src/model/disk/save.ts';
import { RecordingWriter } from '../../src/model/disk/writer.ts';
import type { Recording } from '../../src/model/recording.ts';
import { tableSpec } from '../../src/model/schema.ts';
import { TableBuffer } from '../../src/model/table.ts';
import { savedFiles, tempFolder } from '../support/files.ts';
import { memoryFiles, readFolder } from '../support/memory-files.ts';
import { allRows, rowTexts } from '../support/rows.ts';
import { sampleRecording } from '../support/sample-recording.ts';

describe('a saved recording', () => {
  it('comes back whole', () => {
    const original = sampleRecording();
    const opened = openRecording(memoryFiles(savedFiles(original)));
    expect(opened.run).toEqual(original.run);
    expect([...allRows(opened)].sort()).toEqual([...allRows(original)].sort());
    expect(opened.damage).toEqual([]);
  });

  it('comes back whole from many small batches', () => {
    const folder = tempFolder();
    const spec = tableSpec('cgroup');
    const writer = new RecordingWriter(folder, Number.POSITIVE_INFINITY);
    const expected: string[] = [];
    for (let i = 0; i < 50; i++) {
      const buffer = new TableBuffer(spec);
      for (let k = 0; k <= i % 4; k++) buffer.push([i * 10 + k, i, null, k, 0, 0]);
      for (let k = 0; k <= i % 4; k++)
        expected.push(JSON.stringify([i * 10 + k, i, null, k, 0, 0, null, null]));
      writer.append(spec, buffer.take());
    }
    writer.close();
    const opened = openRecording(folderFiles(folder));
    expect(rowTexts(opened.table('cgroup'))).toEqual(expected);
    expect(opened.damage).toEqual([
      'run.json is damaged: name, command and exit of this run are lost',
    ]);
  });

  it('is read while it grows: what came later is no damage', () => {
    const files = growing();
    const recording = openRecording(files);
    expect(recording.table('cgroup').rows).toBe(2);
    expect(recording.damage).toEqual([]);
  });

  it('is read while a rewrite replaces a table', () => {
    const all = savedFiles(sampleRecording());
    const before = savedFiles(sampleRecording(7));
    let looks = 0;
    const recording = openRecording({
      place: 'live',
      list: () => [...all.keys()],
      read: (name) => (name === 'host.idx' && looks++ === 0 ? before : all).get(name) ?? null,
    });
    expect(recording.table('host').rows).toBe(40);
    expect(recording.damage).toEqual([]);
  });

  it('says which file cannot be read', () => {
    const folder = tempFolder();
    saveRecording(sampleRecording(), folder);
    renameSync(join(folder, 'host.idx'), join(folder, 'host.old'));
    mkdirSync(join(folder, 'host.idx'));
    const recording = openRecording(folderFiles(folder));
    expect(() => recording.table('host')).toThrow(
      `cannot read ${join(folder, 'host.idx')}: is a folder`,
    );
    expect(() => openRecording(folderFiles(join(folder, 'none')))).toThrow(UserError);
  });
});

describe('--force', () => {
  it('replaces a recording, but leaves what is not of it', () => {
    const folder = tempFolder();
    saveRecording(sampleRecording(), folder);
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    createFolder(folder, true);
    expect([...readFolder(folder).keys()]).toEqual(['notes.txt']);
  });

  it('does not empty a folder of something else', () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'thesis.tex'), 'mine');
    expect(() => createFolder(folder, true)).toThrow(/is a folder of something else/);
    expect(readFileSync(join(folder, 'thesis.tex'), 'utf8')).toBe('mine');
  });
});

/** Files whose data has a batch that the index has not when it is read first. */
function growing() {
  const folder = tempFolder();
  const spec = tableSpec('cgroup');
  const writer = new RecordingWriter(folder, Number.POSITIVE_INFINITY);
  const row = (time: number) => {
    const buffer = new TableBuffer(spec);
    buffer.push([time, 1, 1, 1, 1, 1]);
    writer.append(spec, buffer.take());
  };
  row(1);
  const run = JSON.stringify(sampleRecording().run satisfies Recording['run']);
  writeFileSync(join(folder, 'run.json'), run);
  const before = readFolder(folder);
  row(2);
  const data = readFolder(folder);
  row(3);
  const after = readFolder(folder);
  writer.close();
  let looks = 0;
  return {
    place: folder,
    list: () => [...after.keys()],
    read: (name: string) => {
      if (name === 'cgroup.arrow') return data.get(name) ?? null;
      // It is looked at twice each time it is read: before the data, and where that does not fit it, after.
      return (name === 'cgroup.idx' && looks++ % 2 > 0 ? after : before).get(name) ?? null;
    },
  };
}
