import { appendFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderFiles } from '../../src/model/disk/files.ts';
import { GrowingRecording } from '../../src/model/disk/growing-recording.ts';
import { openRecording } from '../../src/model/disk/reader.ts';
import { createFolder, writeRun } from '../../src/model/disk/save.ts';
import { RecordingWriter } from '../../src/model/disk/writer.ts';
import type { Recording } from '../../src/model/recording.ts';
import { newRun } from '../../src/model/run.ts';
import { TABLES, tableSpec } from '../../src/model/schema.ts';
import { TableBuffer } from '../../src/model/table.ts';
import { place } from '../support/recorder.ts';
import { inOrder, type NamedCells } from '../support/rows.ts';

/** A recorder that writes one batch of each table at a time. */
function recorder(maxBytes = Number.POSITIVE_INFINITY) {
  const folder = place('growing.hw');
  createFolder(folder, false);
  const writer = new RecordingWriter(folder, maxBytes);
  const tables = {
    host: new TableBuffer(tableSpec('host', ['MemTotal', 'MemAvailable'])),
    marks: new TableBuffer(TABLES.marks),
    strings: new TableBuffer(TABLES.strings),
  };
  const add = (name: keyof typeof tables, cells: NamedCells) =>
    tables[name].push(inOrder(tables[name].spec, cells));
  let batch = 0;
  writeRun(folder, newRun({ id: 'growing', name: 'growing' }));
  const flush = () => {
    for (const table of Object.values(tables)) writer.append(table.spec, table.take());
  };
  return {
    folder,
    writer,
    write({ markAt }: { markAt?: number } = {}) {
      for (let i = 0; i < 50; i++) {
        const time = (batch * 50 + i) * 1e7;
        add('host', { time, MemTotal: 1e9, MemAvailable: i % 7 === 0 ? null : 5e8 + i });
      }
      const numbers = { iteration: batch, value: 0.5 };
      add('marks', { time: markAt ?? batch * 50e7, pid: 1, kind: batch, name: batch, ...numbers });
      add('strings', { id: batch, value: `text ${batch}` });
      flush();
      batch++;
    },
  };
}

/** Every cell of every table. */
const cellsOf = (recording: Recording) =>
  Object.fromEntries(
    recording.tables.map((name) => {
      const table = recording.table(name);
      return [
        name,
        table.spec.columns.map((column) => [...(table.column(column) as Iterable<unknown>)]),
      ];
    }),
  );

const asOrdinary = (folder: string) => cellsOf(openRecording(folderFiles(folder)));

describe('a recording that grows', () => {
  it('is read as any other, and at each look only what came since', () => {
    const { folder, write } = recorder();
    write();
    const growing = new GrowingRecording(folder);
    expect(cellsOf(growing.open())).toEqual(asOrdinary(folder));
    const first = growing.bytesRead;
    cellsOf(growing.open());
    expect(growing.bytesRead).toBe(first);
    const looks: number[] = [];
    for (let i = 0; i < 16; i++) {
      write();
      const before = growing.bytesRead;
      const recording = growing.open();
      expect(cellsOf(recording)).toEqual(asOrdinary(folder));
      expect(recording.text(i + 1)).toBe(`text ${i + 1}`);
      looks.push(growing.bytesRead - before);
    }
    // As much at the end as at the start, though sixteen times as much lies there by then.
    expect(Math.max(...looks)).toBeLessThan(1.1 * Math.min(...looks));
    expect(Math.max(...looks)).toBeLessThan(1.1 * first);
  });

  it('leaves what was opened before as it was', () => {
    const { folder, write } = recorder();
    write();
    const growing = new GrowingRecording(folder);
    const early = growing.open();
    const cells = cellsOf(early);
    for (let i = 0; i < 60; i++) write();
    expect(growing.open().table('host').rows).toBe(61 * 50);
    expect(cellsOf(early)).toEqual(cells);
  });

  it('is read anew where it was folded meanwhile', () => {
    const { folder, writer, write } = recorder(60_000);
    const growing = new GrowingRecording(folder);
    let folds = 0;
    for (let i = 0; i < 60; i++) {
      write();
      while (writer.fold()) folds++;
      expect(cellsOf(growing.open())).toEqual(asOrdinary(folder));
    }
    expect(folds).toBeGreaterThan(1);
  });

  it('sorts what agents told out of order, as ever', () => {
    const { folder, write } = recorder();
    const growing = new GrowingRecording(folder);
    for (const markAt of [5e7, 9e7, 2e7, 11e7]) {
      write({ markAt });
      expect(cellsOf(growing.open())).toEqual(asOrdinary(folder));
    }
    expect([...growing.open().table('marks').f64('time')]).toEqual([2e7, 5e7, 9e7, 11e7]);
  });

  it('takes a batch once its line stands whole, and finds its way after damage', () => {
    const { folder, write } = recorder();
    write();
    const growing = new GrowingRecording(folder);
    expect(growing.open().table('host').rows).toBe(50);
    const index = join(folder, 'host.idx');
    const { length } = folderFiles(folder).read('host.idx')!;
    write();
    const text = new TextDecoder().decode(folderFiles(folder).read('host.idx')!);
    truncateSync(index, length + 10);
    expect(growing.open().table('host').rows).toBe(50);
    appendFileSync(index, text.slice(length + 10));
    expect(growing.open().table('host').rows).toBe(100);
    appendFileSync(index, 'batch of nothing\n');
    const damaged = growing.open();
    expect(damaged.table('host').rows).toBe(100);
    expect(damaged.damage.join()).toContain('unreadable index line');
  });
});
