import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeRun } from '../../src/model/disk/save.ts';
import { RecordingWriter } from '../../src/model/disk/writer.ts';
import { newRun } from '../../src/model/run.ts';
import { TABLES, tableSpec } from '../../src/model/schema.ts';
import { TableBuffer } from '../../src/model/table.ts';
import { readFolder } from './memory-files.ts';
import { inOrder, type NamedCells } from './rows.ts';

const add = (table: TableBuffer, cells: NamedCells) => table.push(inOrder(table.spec, cells));

/** A recording of three tables in three batches each: small enough to damage at every byte. */
export function smallRecordingFiles(): Map<string, Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), 'highwater-test-'));
  try {
    const writer = new RecordingWriter(folder, Number.POSITIVE_INFINITY);
    const host = new TableBuffer(tableSpec('host', ['MemTotal', 'MemAvailable']));
    const marks = new TableBuffer(TABLES.marks);
    const strings = new TableBuffer(TABLES.strings);
    for (let batch = 0; batch < 3; batch++) {
      for (const half of [0, 5]) {
        const time = batch * 10 + half;
        const available = half === 0 ? null : 5e8 + time;
        const own = { recorder_anon: 100 + time };
        add(host, { time, MemTotal: 1e9, MemAvailable: available, ...own });
      }
      const numbers = { iteration: batch, value: 0.5 };
      add(marks, { time: batch * 10, pid: 1, kind: batch, name: batch, ...numbers });
      add(strings, { id: batch, value: `text ${batch}` });
      for (const table of [host, marks, strings]) writer.append(table.spec, table.take());
    }
    writer.close();
    writeRun(folder, newRun({ id: 'small', name: 'small', endedAt: '2026-01-01T00:00:00.000Z' }));
    return readFolder(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
