import { mkdirSync } from 'node:fs';
import { MiB } from '../src/base/bytes.ts';
import { writeRun } from '../src/model/disk/save.ts';
import { RecordingWriter } from '../src/model/disk/writer.ts';
import { newRun } from '../src/model/run.ts';
import { TABLES } from '../src/model/schema.ts';
import { TableBuffer } from '../src/model/table.ts';

const SECONDS = 600;
const RATE_HZ = 100;
const PROCESSES = 8;

/** Writes a recording of ten minutes at the usual rate: eight processes that come and go in waves. */
export function tenMinutes(folder: string): string {
  mkdirSync(folder);
  const writer = new RecordingWriter(folder, 1e9);
  const [processes, samples, group, clock] = [
    ...[TABLES.processes, TABLES.process, TABLES.cgroup, TABLES.clock].map(
      (spec) => new TableBuffer(spec),
    ),
  ] as [TableBuffer, TableBuffer, TableBuffer, TableBuffer];
  for (let p = 0; p < PROCESSES; p++) {
    processes.push([1000 + p, p, p === 0 ? 1 : 1000, 0, 0, 0, null, 0, null]);
  }
  const tables = [processes, samples, group, clock];
  const flush = () => {
    for (const table of tables) if (table.rows > 0) writer.append(table.spec, table.take());
  };
  for (let tick = 1; tick <= SECONDS * RATE_HZ; tick++) {
    const time = (tick * 1e9) / RATE_HZ;
    let all = 0;
    for (let p = 0; p < PROCESSES; p++) {
      const own = Math.round((64 + 32 * Math.sin(tick / (200 + 40 * p))) * MiB);
      all += own;
      samples.push([time, 1000 + p, own, own, 0, 0, 0, own, own, 1]);
    }
    group.push([time, all, null, null, null, 0]);
    if (tick % RATE_HZ !== 0) continue;
    clock.push([time, time]);
    flush();
  }
  flush();
  writer.close();
  writeRun(folder, newRun({ id: 'ten-minutes', name: 'ten minutes' }));
  return folder;
}
