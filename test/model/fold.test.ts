import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { folderFiles } from '../../src/model/disk/files.ts';
import { openRecording } from '../../src/model/disk/reader.ts';
import { Rewrite } from '../../src/model/disk/rewrite.ts';
import { TableFile } from '../../src/model/disk/table-file.ts';
import { RecordingWriter } from '../../src/model/disk/writer.ts';
import { makeRecording, type Recording } from '../../src/model/recording.ts';
import { newRun } from '../../src/model/run.ts';
import { type TableName, tableSpec } from '../../src/model/schema.ts';
import { series, seriesNames } from '../../src/model/series.ts';
import { type Batch, Table, TableBuffer } from '../../src/model/table.ts';
import { tempFolder } from '../support/files.ts';
import { random } from '../support/random.ts';
import { inOrder, isSubsequence, type NamedCells, rowTexts } from '../support/rows.ts';

const MEMINFO = [
  'MemTotal',
  'MemAvailable',
  'AnonPages',
  'Shmem',
  'SUnreclaim',
  'KernelStack',
  'PageTables',
];
const SPECS = [
  tableSpec('host', MEMINFO),
  tableSpec('process'),
  tableSpec('cgroup'),
  tableSpec('marks'),
];

const add = (table: TableBuffer, cells: NamedCells) => table.push(inOrder(table.spec, cells));

/** A made-up workload: each flush has ten samples of everything, and now and then a mark. */
class Workload {
  readonly kept = new Map<string, Batch[]>(SPECS.map((spec) => [spec.name, []]));
  readonly #random: () => number;
  #sample = 0;

  constructor(seed: number) {
    this.#random = random(seed);
  }

  flush(append: (spec: (typeof SPECS)[number], batch: Batch) => void): void {
    const [host, process, cgroup, marks] = SPECS.map((spec) => new TableBuffer(spec));
    for (let i = 0; i < 10; i++) {
      const time = this.#sample++ * 10_000_000;
      const value = () => Math.floor(this.#random() * 2 ** 32);
      const [total, ...others] = MEMINFO;
      const fields = Object.fromEntries(others.map((name) => [name, value()]));
      add(host!, { time, [total!]: 2 ** 34, ...fields, recorder_anon: 9 });
      for (let pid = 1; pid <= 1 + (this.#sample % 4); pid++) {
        const pss = this.#random() < 0.3 ? null : value();
        const changing = { rss: value(), swap: value(), hwm: value(), pss };
        add(process!, { time, pid, anon: 1, file: 1, ...changing });
      }
      add(cgroup!, { time, current: value(), peak: value(), swap: 0, file: 0, oom_kills: 0 });
      if (i === 0) add(marks!, { time, pid: 1, iteration: this.#sample });
    }
    for (const buffer of [host!, process!, cgroup!, marks!]) {
      const batch = buffer.take();
      this.kept.get(buffer.spec.name)!.push(batch);
      append(buffer.spec, batch);
    }
  }

  /** What was recorded, had nothing been folded. */
  recording(): Recording {
    const tables = new Map(
      SPECS.map((spec) => [spec.name, new Table(spec, this.kept.get(spec.name)!)]),
    );
    const names = SPECS.map((spec) => spec.name as TableName);
    return makeRecording(newRun({ id: 'w', name: 'w' }), names, (name) => tables.get(name)!);
  }
}

function folderBytes(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

function extremes(recording: Recording, name: string) {
  const { times, values } = series(recording, name)!;
  let low = 0;
  let high = 0;
  for (let i = 1; i < values.length; i++) {
    if (values[i]! < values[low]!) low = i;
    if (values[i]! > values[high]!) high = i;
  }
  const last = values.length - 1;
  return [low, high, last].map((i) => ({ time: times[i], value: values[i] }));
}

describe('a recording that is kept within a size', () => {
  const folder = mkdtempSync(join(tmpdir(), 'highwater-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const workload = new Workload(1);
  const maxBytes = 3_000_000;
  let most = 0;
  let steps = 0;
  const writer = new RecordingWriter(folder, maxBytes);
  for (let flush = 0; flush < 2500; flush++) {
    workload.flush((spec, batch) => writer.append(spec, batch));
    // Some steps for each flush, so that rows keep coming while tables are rewritten.
    for (let i = 0; i < 20 && writer.fold(); i++) {
      steps++;
      most = Math.max(most, folderBytes(folder));
    }
    most = Math.max(most, folderBytes(folder));
  }
  writer.close();
  const before = workload.recording();
  const after = openRecording(folderFiles(folder));

  it('was folded, more than once', () => {
    expect(steps).toBeGreaterThan(100);
    expect(after.table('host').rows).toBeLessThan(before.table('host').rows / 2);
  });

  it('stayed within it at every moment', () => {
    expect(most).toBeLessThanOrEqual(maxBytes);
  });

  it.each(seriesNames(before))('has the exact peak, low and last value of %s', (name) => {
    expect(extremes(after, name)).toEqual(extremes(before, name));
  });

  it("has the exact highest of the kernel's high-water marks", () => {
    const highest = (recording: Recording) =>
      recording
        .table('process')
        .f64('hwm')
        .reduce((most, bytes) => Math.max(most, bytes), 0);
    expect(highest(after)).toBe(highest(before));
  });

  it.each(['host', 'process', 'cgroup'] as const)('has only rows of %s as they were', (name) => {
    expect(isSubsequence(rowTexts(after.table(name)), rowTexts(before.table(name)))).toBe(true);
  });

  it('keeps whole samples: a sum over processes is true or absent', () => {
    const sums = series(before, 'tree.rss')!;
    const truth = new Map(Array.from(sums.times, (time, i) => [time, sums.values[i]]));
    const folded = series(after, 'tree.rss')!;
    for (const [i, time] of folded.times.entries()) {
      expect(folded.values[i]).toBe(truth.get(time));
    }
  });

  it('loses no mark', () => {
    expect(rowTexts(after.table('marks'))).toEqual(rowTexts(before.table('marks')));
  });

  it('opens undamaged', () => {
    expect(after.damage.filter((line) => !line.startsWith('run.json'))).toEqual([]);
  });
});

describe('a recording of marks, which are never dropped', () => {
  it('is not rewritten with every flush', () => {
    const writer = new RecordingWriter(tempFolder(), 100_000);
    const marks = new TableBuffer(tableSpec('marks'));
    let folds = 0;
    for (let flush = 0; flush < 400; flush++) {
      for (let i = 0; i < 10; i++) add(marks, { time: flush, pid: 1, iteration: i });
      writer.append(marks.spec, marks.take());
      if (writer.fold()) folds++;
      while (writer.fold());
    }
    writer.close();
    expect(folds).toBeLessThan(120);
  });
});

describe('a rewrite', () => {
  /** A table of 40 batches, and the files before and after its rewrite. */
  function rewritten() {
    const folder = tempFolder();
    const workload = new Workload(2);
    const table = new TableFile(folder, SPECS[0]!);
    const flush = () => workload.flush((spec, batch) => spec === SPECS[0] && table.append(batch));
    for (let i = 0; i < 40; i++) flush();
    for (const name of ['host.arrow', 'host.idx'])
      copyFileSync(join(folder, name), join(folder, `old-${name}`));
    return { folder, table, flush, workload };
  }
  const finish = (job: Rewrite, between = () => {}) => {
    for (;;) {
      between();
      const done = job.step();
      if (done) return done;
    }
  };
  const hostRows = (folder: string) => {
    const recording = openRecording(folderFiles(folder));
    return { rows: rowTexts(recording.table('host')), damage: recording.damage };
  };

  it('loses nothing that is appended meanwhile', () => {
    const { folder, table, flush, workload } = rewritten();
    const job = new Rewrite(folder, table, 1e9, 0);
    finish(job, flush).close();
    const appended = rowTexts(workload.recording().table('host')).slice(400);
    expect(appended.length).toBeGreaterThan(300);
    expect(hostRows(folder).rows.slice(-appended.length)).toEqual(appended);
  });

  it('that is interrupted between its two renames is finished by the reader', () => {
    const { folder, table } = rewritten();
    finish(new Rewrite(folder, table, 1e9, 0)).close();
    const folded = hostRows(folder).rows;
    renameSync(join(folder, 'host.arrow'), join(folder, 'host.arrow.new'));
    renameSync(join(folder, 'old-host.arrow'), join(folder, 'host.arrow'));
    const { rows, damage } = hostRows(folder);
    expect(rows).toEqual(folded);
    expect(damage.filter((line) => line.includes('host'))).toEqual([]);
  });

  it.each([
    ['that has just begun', ['host.arrow.new', 'host.idx.new']],
    ['of which only the data began', ['host.arrow.new']],
    ['of which only the index began', ['host.idx.new']],
  ])('%s leaves the old table', (_, names) => {
    const { folder, workload } = rewritten();
    for (const name of names) writeFileSync(join(folder, name), '');
    expect(hostRows(folder).rows).toEqual(rowTexts(workload.recording().table('host')));
  });

  it('that fails on a full disk leaves the old table, and writing goes on', () => {
    const folder = tempFolder();
    const workload = new Workload(3);
    const writer = new RecordingWriter(folder, 200_000);
    while (writer.bytes < 150_000) workload.flush((spec, batch) => writer.append(spec, batch));
    const full = vi.spyOn(TableFile.prototype, 'install').mockImplementation(() => {
      throw Object.assign(new Error('write'), { code: 'ENOSPC' });
    });
    expect(() => {
      while (writer.fold());
    }).toThrow('write');
    full.mockRestore();
    workload.flush((spec, batch) => writer.append(spec, batch));
    writer.close();
    expect(readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([]);
    const { rows } = hostRows(folder);
    expect(rows).toEqual(rowTexts(workload.recording().table('host')));
  });

  it('that is given up at the end leaves the old table', () => {
    const { folder, table, workload } = rewritten();
    const job = new Rewrite(folder, table, 1e9, 0);
    for (let i = 0; i < 20; i++) job.step();
    job.abandon();
    table.close();
    expect(hostRows(folder).rows).toEqual(rowTexts(workload.recording().table('host')));
  });
});
