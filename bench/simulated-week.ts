import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GiB, MiB } from '../src/base/bytes.ts';
import { folderFiles } from '../src/model/disk/files.ts';
import { openRecording } from '../src/model/disk/reader.ts';
import { writeRun } from '../src/model/disk/save.ts';
import { RecordingWriter } from '../src/model/disk/writer.ts';
import { newRun } from '../src/model/run.ts';
import { hostTable, TABLES, type TableSpec } from '../src/model/schema.ts';
import { series } from '../src/model/series.ts';
import { TableBuffer } from '../src/model/table.ts';
import { type MemoryLevel, memoryLevel } from './child.ts';

/**
 * A week of samples through the real writer. `simulated-week.ts SCALE` divides rate and size limit
 * by SCALE, which leaves the number of folds as it is; a batch keeps its number of samples. Prints
 * what was seen on the way, as JSON.
 */
const scale = Number(process.argv[2]);
const WEEK_NS = 7 * 86_400e9;
const STEP_NS = 1e7 * scale;
const TICKS = Math.floor(WEEK_NS / STEP_NS);
const MAX_BYTES = GiB / scale;
const TICKS_PER_FLUSH = 50;
const PROCESSES = 8;
const PLANTED = 20;
/** More rewriting than this fits between two flushes; fewer steps mean more growth meanwhile. */
const FOLD_STEPS_PER_FLUSH = 200;

const USUAL_FIELDS = 'MemTotal MemFree MemAvailable Buffers Cached AnonPages Shmem SUnreclaim';
const fields = [
  ...`${USUAL_FIELDS} KernelStack PageTables`.split(' '),
  ...Array.from({ length: 44 }, (_, i) => `Field${i}`),
];
const host = new TableBuffer(hostTable(fields));
const process_ = new TableBuffer(TABLES.process);
const cgroup = new TableBuffer(TABLES.cgroup);
const clock = new TableBuffer(TABLES.clock);
const column = (spec: TableSpec, name: string) => spec.columns.findIndex((c) => c.name === name);
const AVAILABLE = column(host.spec, 'MemAvailable');

/** Peak n comes at a moment of its own and stands for one sample. */
const plantedTick = (n: number) => Math.floor(((n + 0.37) / PLANTED) * TICKS);
const plantedAt = new Map(Array.from({ length: PLANTED }, (_, n) => [plantedTick(n), n]));
const plantedBytes = (n: number) => 8 * GiB + n * MiB;
const TOTAL = 64 * GiB;

/** Somewhere below a GiB, never the same for long. */
const wave = (tick: number, k: number) => Math.floor(((tick * (k + 7)) % 100_003) * 8192);

function addSample(tick: number): void {
  const time = tick * STEP_NS;
  const planted = plantedAt.get(tick);
  const spike = planted === undefined ? 0 : plantedBytes(planted);
  const row = host.addRow();
  for (let c = 1; c <= fields.length; c++) host.f64(c)[row] = wave(tick, c);
  host.f64(0)[row] = time;
  host.f64(1)[row] = TOTAL;
  host.f64(AVAILABLE)[row] = TOTAL - (spike || wave(tick, 2));
  for (let p = 0; p < PROCESSES; p++) {
    const own = p === 3 && spike > 0 ? spike : wave(tick, p) / PROCESSES;
    process_.push([time, 1000 + p, own, own, 0, 0, 0, own, own, 1]);
  }
  cgroup.push([time, spike || wave(tick, 1), null, null, null, 0]);
}

const folder = mkdtempSync(join(tmpdir(), 'highwater-bench-'));
const FILES = ['host', 'process', 'cgroup', 'clock'].flatMap((table) =>
  ['arrow', 'idx'].map((kind) => join(folder, `${table}.${kind}`)),
);
const NEW_FILES = FILES.map((path) => `${path}.new`);
const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
const sizesNow = () => FILES.map(sizeOf);

const writer = new RecordingWriter(folder, MAX_BYTES);
let largest = 0;
let folds = 0;
let folding = false;

function appendAll(): void {
  for (const table of [host, process_, cgroup, clock]) {
    if (table.rows > 0) writer.append(table.spec, table.take());
  }
  largest = Math.max(largest, sum(sizesNow()) + sum(NEW_FILES.map(sizeOf)));
}

/**
 * A step of folding. The last step of a table copies its newest part and puts the new file in the
 * place of the old: for a moment both are there whole, which is the most the folder ever holds.
 */
function foldStep(): boolean {
  const before = sizesNow();
  const more = writer.fold();
  const after = sizesNow();
  const replaced = before.filter((size, i) => after[i]! < size);
  largest = Math.max(largest, sum(after) + sum(NEW_FILES.map(sizeOf)) + sum(replaced));
  return more;
}

const started = performance.now();
const levels: MemoryLevel[] = [];
let slowestStepMs = 0;
let rawBytes = 0;
try {
  for (let tick = 1; tick <= TICKS; tick++) {
    addSample(tick);
    if (tick % TICKS_PER_FLUSH === 0) {
      clock.push([tick * STEP_NS, tick * STEP_NS]);
      const bytesBefore = writer.bytes;
      appendAll();
      rawBytes += writer.bytes - bytesBefore;
      for (let step = 0; step < FOLD_STEPS_PER_FLUSH; step++) {
        const wasFolding = folding;
        const at = performance.now();
        folding = foldStep();
        slowestStepMs = Math.max(slowestStepMs, performance.now() - at);
        if (folding && !wasFolding) folds++;
        if (!folding) break;
      }
    }
    if (tick % Math.floor(TICKS / 10) === 0) levels.push(await memoryLevel());
  }
  appendAll();
  writer.close();
  const seconds = (performance.now() - started) / 1000;

  writeRun(folder, newRun({ id: 'week', name: 'week' }));
  const recording = openRecording(folderFiles(folder));
  const others = (n: number) =>
    sum(
      Array.from({ length: PROCESSES }, (_, p) =>
        p === 3 ? 0 : wave(plantedTick(n), p) / PROCESSES,
      ),
    );
  const expected: [string, (n: number) => number][] = [
    ['host.used', plantedBytes],
    ['cgroup.current', plantedBytes],
    ['tree.rss', (n) => plantedBytes(n) + others(n)],
  ];
  const exact = expected.map(([name, bytes]) => {
    const found = series(recording, name)!;
    const values = new Map(Array.from(found.times, (time, i) => [time, found.values[i]!]));
    const kept = [...plantedAt.entries()].filter(
      ([tick, n]) => Math.abs((values.get(tick * STEP_NS) ?? 0) - bytes(n)) < 1,
    );
    return { name, kept: kept.length, samples: found.times.length };
  });
  process.stdout.write(
    JSON.stringify({
      ...{ ticks: TICKS, maxBytes: MAX_BYTES, rawBytes, largest, finalBytes: sum(sizesNow()) },
      ...{ folds, seconds, slowestStepMs, levels, planted: PLANTED, exact },
      ...{ foldedSeconds: writer.foldedSeconds, damage: recording.damage },
    }),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
