import {
  appendFileSync,
  cpSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GiB } from '../../src/base/bytes.ts';
import { FOLDED_TABLES } from '../../src/model/disk/fold.ts';
import { openLong } from '../../src/model/disk/long-recording.ts';
import { createFolder, saveRecording, writeRun } from '../../src/model/disk/save.ts';
import { RecordingWriter } from '../../src/model/disk/writer.ts';
import { newRun } from '../../src/model/run.ts';
import { hostTable, TABLES } from '../../src/model/schema.ts';
import { seriesNames } from '../../src/model/series.ts';
import { TableBuffer } from '../../src/model/table.ts';
import { locate } from '../../src/open/locate.ts';
import { openInput, openSampled } from '../../src/open/open.ts';
import { BATCH_ROWS } from '../../src/store/batch.ts';
import { rowsOf } from '../../src/store/rows/index.ts';
import { STORE_TABLES } from '../../src/store/schema.ts';
import { type StoredRun, storedRun } from '../../src/store/stored-run.ts';
import { tempFolder } from '../support/files.ts';

const REAL = ['docs/leak.hwz', 'docs/killed.hwz', 'gpu-gauntlet/logits.hwz'];

/** A recording's folder, of a fixture that is packed. */
async function unpacked(fixture: string): Promise<string> {
  const folder = join(tempFolder(), 'run.hw');
  createFolder(folder, false);
  saveRecording(await openInput(resolve('test/fixtures', fixture)), folder);
  return folder;
}

const stored = async (folder: string, mostBytes: number): Promise<StoredRun> =>
  storedRun(await openSampled(locate(folder), mostBytes));

const sampleBytes = (folder: string) =>
  FOLDED_TABLES.reduce((sum, name) => {
    const file = statSync(join(folder, `${name}.arrow`), { throwIfNoEntry: false });
    return sum + (file?.size ?? 0);
  }, 0);

const allRows = (run: StoredRun) =>
  Object.fromEntries(
    STORE_TABLES.map((table) => [
      table.name,
      [...rowsOf(run, table)].flatMap(({ columns, rows }) =>
        Array.from({ length: rows }, (_, row) =>
          Object.fromEntries(table.columns.map(({ name }, i) => [name, columns[i]![row]])),
        ),
      ),
    ]),
  );

/** Half a second of three processes, a machine and two cards at each flush, as a recorder leaves it. */
function record(folder: string, seconds: number, aSecond = 0): void {
  createFolder(folder, false);
  const writer = new RecordingWriter(folder, Number.POSITIVE_INFINITY);
  const host = new TableBuffer(hostTable(['MemTotal', 'MemAvailable']));
  const [process, cards] = [new TableBuffer(TABLES.process), new TableBuffer(TABLES.gpu)];
  const [marks, strings] = [new TableBuffer(TABLES.marks), new TableBuffer(TABLES.strings)];
  strings.push([1, 'iteration']);
  for (let tick = 0; tick < seconds * 100; tick++) {
    const time = tick * 1e7;
    const wave = (tick * 7919) % 100_003;
    host.push([time, 64 * GiB, 32 * GiB - wave * 4096]);
    const grown = (tick * aSecond) / 100;
    for (const pid of [10, 11, 12]) {
      const bytes = ((wave % 997) + pid) * 4096 + (pid === 10 ? grown : 0);
      process.push([time, pid, bytes, bytes, 0, 0, 0, bytes]);
    }
    for (const gpu of [0, 1]) cards.push([time, gpu, (wave + gpu) * 1024]);
    if (tick % 50 < 49) continue;
    marks.push([time, 0, 10, null, 1, 1, 0, (tick + 1) / 50]);
    for (const table of [host, process, cards, marks, strings])
      writer.append(table.spec, table.take());
  }
  writer.close();
  const startedAt = '2026-11-01T00:00:00.000Z';
  writeRun(folder, newRun({ id: '0123456789abcdef', name: 'long', startedAt }));
}

describe('a recording that is larger than what may be in memory', () => {
  it.each(REAL)('has the same rows in a store as in memory: %s', async (fixture) => {
    const folder = await unpacked(fixture);
    // A little less than it takes: a quarter of that is kept for what analyses look at.
    const most = sampleBytes(folder) * 0.95;
    const kept = openLong(folder, most)!.recording.table('host').rows;
    expect(kept).toBeLessThan((await openInput(folder)).table('host').rows / 2);
    const { verdicts: whole, ...rows } = allRows(await stored(folder, Number.POSITIVE_INFINITY));
    const { verdicts: long, ...longRows } = allRows(await stored(folder, most));
    expect(longRows).toEqual(rows);
    // Fewer samples to judge by may leave it open what it is; they never say something else.
    for (const [i, { leak, cause, out_of_memory }] of whole!.entries()) {
      expect([leak, 'inconclusive']).toContain(long![i]!.leak);
      if (long![i]!.leak === leak) expect(long![i]).toMatchObject({ cause, out_of_memory });
    }
  });

  it.each([
    ['leaks', 1024 * 1024],
    ['does not leak', 0],
  ])('is judged as the whole of it: what %s', async (_, aSecond) => {
    const folder = join(tempFolder(), 'leaking.hw');
    record(folder, 300, aSecond);
    const most = sampleBytes(folder) / 2;
    const rate = (run: StoredRun) => allRows(run).verdicts![0]!.leak_bytes_per_hour as number;
    const [whole, long] = [
      await stored(folder, Number.POSITIVE_INFINITY),
      await stored(folder, most),
    ];
    expect(long.report.leak.verdict).toBe(whole.report.leak.verdict);
    expect(whole.report.leak.verdict === 'leak').toBe(aSecond > 0);
    if (aSecond === 0) return;
    expect(rate(whole) / (aSecond * 3600)).toBeCloseTo(1, 1);
    expect(rate(long) / rate(whole)).toBeCloseTo(1, 1);
  });

  it('is never in memory as a whole: a longer one no more than a shorter one', async () => {
    const most = 100_000;
    const held = await Promise.all(
      [30, 240].map(async (seconds) => {
        const folder = join(tempFolder(), `${seconds}.hw`);
        record(folder, seconds);
        const { recording, samples } = openLong(folder, most)!;
        let rows = 0;
        for (const name of seriesNames(recording)) {
          for (const { values } of samples.pieces(name)) {
            // A piece is a mebibyte of a table's data.
            expect(values.length).toBeLessThan(40_000);
            rows += values.length;
          }
        }
        expect(rows).toBe(seconds * 100 * 5); // host.used, tree.rss, tree.swap, two cards
        const names = ['host', 'process', 'gpu'] as const;
        for (const batch of rowsOf(await stored(folder, most), STORE_TABLES[0]!)) {
          expect(batch.rows).toBeLessThanOrEqual(BATCH_ROWS);
        }
        return names.reduce((sum, name) => sum + recording.table(name).rows, 0);
      }),
    );
    expect(held[1]!).toBeLessThan(held[0]! * 1.3);
    // All of the first second, and what else the size allows.
    expect(held[1]!).toBeLessThan(600 + most / 20);
  });

  it('says what was cut off at its end, and has all before it', async () => {
    const folder = join(tempFolder(), 'cut.hw');
    record(folder, 60);
    appendFileSync(join(folder, 'process.arrow'), 'half a message');
    const { recording, samples } = openLong(folder, 200_000)!;
    expect(recording.damage).toEqual([
      'table process: 14 bytes that no index line vouches for left out, 18000 rows kept',
    ]);
    expect(samples.rows('process')).toBe(18_000);
    const rows = allRows(await stored(folder, 200_000)).runs!;
    expect(rows[0]).toMatchObject({ complete: 0 });
  });

  it.each([
    ['a message that is damaged', (bytes: Buffer) => bytes.fill(7, 5000, 5100)],
    ['an end that is lost', (bytes: Buffer) => bytes.subarray(0, bytes.length - 3000)],
  ])('is read whole where it has %s', async (_, spoil) => {
    const folder = join(tempFolder(), 'spoilt.hw');
    record(folder, 60);
    const path = join(folder, 'process.arrow');
    writeFileSync(path, spoil(readFileSync(path)));
    expect(openLong(folder, 200_000)).toBeNull();
    const run = await stored(folder, 200_000);
    expect(run.recording.damage.join()).toContain('table process: 1 batch damaged or cut off');
  });

  it('that changes under the reader is refused in a line', () => {
    const folder = join(tempFolder(), 'changing.hw');
    record(folder, 60);
    const { samples } = openLong(folder, 200_000)!;
    cpSync(join(folder, 'process.arrow'), join(folder, 'other'));
    truncateSync(join(folder, 'process.arrow'), 9000);
    expect(() => [...samples.pieces('tree.rss')]).toThrow(
      /process\.arrow changed while it was read/,
    );
  });
});
