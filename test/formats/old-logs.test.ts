import { copyFileSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run as importCommand } from '../../src/cli/commands/import.ts';
import { csv } from '../../src/formats/csv/index.ts';
import { freeLog } from '../../src/formats/procps/free-log.ts';
import { origin } from '../../src/model/origin.ts';
import type { Recording } from '../../src/model/recording.ts';
import { openInput } from '../../src/open/open.ts';
import { tempFolder } from '../support/files.ts';

const FREE_LOG = 'test/fixtures/formats/free-log/procps-3.3.9/get_memory_usage.log';
const CAFFE_LOG = 'test/fixtures/formats/training-log/caffe.log';
const WRITTEN = '2016-04-26T17:53:48Z';

/** Imports a memory log with a training's log that was last changed at that time. */
async function withLog(
  log: string,
  modified: string,
  flags: readonly string[] = [],
  memoryLog?: string,
): Promise<Recording> {
  const folder = tempFolder();
  const [memory, training, out] = ['get_memory_usage.log', 'run.log', 'run.hw'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  if (memoryLog === undefined) copyFileSync(FREE_LOG, memory);
  else writeFileSync(memory, memoryLog);
  if (log.includes('\n')) writeFileSync(training, log);
  else copyFileSync(log, training);
  utimesSync(training, new Date(modified), new Date(modified));
  await quietly(() => importCommand([memory, '--log', training, '-o', out, ...flags]));
  return openInput(out);
}

async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const writes = [process.stdout, process.stderr].map((stream) => ({
    stream,
    write: stream.write,
  }));
  for (const { stream } of writes) stream.write = () => true;
  try {
    return await work();
  } finally {
    for (const { stream, write } of writes) stream.write = write;
  }
}

const asCsv = (recording: Recording, table?: string) =>
  [...csv.write!(recording, { table })].join('');
const kinds = (recording: Recording) =>
  Array.from(recording.table('marks').u32('kind'), (id) => recording.text(id));

/** Records of `free` every second from a Unix time on. */
const samples = (from: number, count: number) =>
  Array.from(
    { length: count },
    (_, i) =>
      `${from + i}             total       used       free     shared    buffers     cached\n` +
      'Mem:      16421400    3965544   12455856      19312     623912    1482968\n' +
      '-/+ buffers/cache:    1858664   14562736\nSwap:     32767996          0   32767996\n226504\n',
  ).join('');

describe("the Caffe leak test's logs", () => {
  it.each([['-06:00'], ['America/Denver']])('give its row to the digit, in %s', async (zone) => {
    const recording = await withLog(CAFFE_LOG, WRITTEN, ['--time-zone', zone]);
    const [header, row] = asCsv(recording).split('\n') as [string, string];
    expect(header).toBe('seconds,mem_used');
    expect(row).toMatch(/^-1\.04553699\d*,1814\.8855514526\d*$/);
    expect(row).toBe('-1.045536995,1814.8855514526367');
  });

  it('become marks: start, iterations with their loss, end', async () => {
    const recording = await withLog(CAFFE_LOG, WRITTEN, ['--time-zone', '-06:00']);
    expect(kinds(recording)).toEqual(['start', 'iteration', 'phase', 'iteration', 'end']);
    expect(asCsv(recording, 'marks').split('\n')[4]).toMatch(
      /^1\.32466\d*,0,,,iteration,iteration 100,,100,0\.5$/,
    );
    expect(origin(recording).is).toBe('workload start');
    expect(recording.run.startedAt).toBe('2016-04-26T17:53:28.000Z');
  });

  it('state what had to be assumed', async () => {
    const { run } = await withLog(CAFFE_LOG, WRITTEN, ['--time-zone', '-06:00']);
    expect(run.warnings).toEqual([
      "its figures are the whole system's memory, not one program's",
      "run.log has times without a year: taken as 2016-04-26, by the file's last change",
      'times of run.log taken as those of -06:00',
      'run.log begins 1.05 s after the last sample',
    ]);
  });

  it('in the wrong zone say which would fit', async () => {
    const { run } = await withLog(CAFFE_LOG, WRITTEN, ['--time-zone', 'UTC']);
    expect(run.warnings.at(-1)).toMatch(
      /^run\.log ends 5 h 59 min before the first sample: .*\(--time-zone -06:00\)$/,
    );
  });

  it('that were copied, and so have a new date, are dated by the samples', async () => {
    const recording = await withLog(CAFFE_LOG, '2026-11-15T12:00:00Z', ['--time-zone', '-06:00']);
    expect(asCsv(recording)).toContain('\n-1.045536995,1814.8855514526');
    expect(recording.run.warnings.join()).toContain('by the samples');
  });

  it('of two different runs are refused', async () => {
    const log = '2015-01-01 10:00:00 start\n2015-01-01 10:00:01 step 1/5\n';
    await expect(withLog(log, WRITTEN)).rejects.toThrow(
      /run\.log is of 2015-01-01, but the samples/,
    );
    await expect(withLog('step 1/5\nstep 2/5\n', WRITTEN)).rejects.toThrow(
      /no line of run\.log says/,
    );
  });

  it('across midnight', async () => {
    const midnight = Date.parse('2016-04-27T00:00:00-06:00') / 1000;
    const log = '23:59:58 start\n23:59:59 step 1/5\n00:00:01 step 2/5\n';
    const recording = await withLog(
      log,
      '2016-04-27T06:00:01Z',
      ['--time-zone', '-06:00'],
      samples(midnight - 5, 10),
    );
    expect(recording.table('marks').f64('time')[0]! / 1e9).toBe(3);
    const seconds = asCsv(recording, 'marks').split('\n').slice(1, -1);
    expect(seconds.map((row) => row.split(',')[0])).toEqual(['0', '1', '3', '3']);
    const rows = asCsv(recording).split('\n');
    expect([rows[1], rows[10]].map((row) => row!.split(',')[0])).toEqual(['-3', '6']);
  });

  it("last year's, across New Year", async () => {
    const newYear = Date.parse('2017-01-01T00:00:00Z') / 1000;
    const log = 'I1231 23:59:59.5 1 a.cpp:1] start\nI0101 00:00:01.5 1 a.cpp:1] Iteration 1\n';
    const flags = ['--time-zone', 'UTC'];
    const recording = await withLog(log, '2017-01-01T00:00:02Z', flags, samples(newYear - 2, 5));
    expect(asCsv(recording).split('\n')[1]).toMatch(/^-1\.5,/);
    expect(recording.run.warnings.join()).toContain('taken as 2016-12-31');
  });

  it('leave out marks whose time nobody knows, and say so', async () => {
    const log =
      '2016-04-26T17:53:28Z go\nstep 1/9\n2016-04-26T17:53:28Z x\nstep 2/9\n2016-04-26T17:59:00Z end\n';
    const recording = await withLog(log, WRITTEN);
    expect(kinds(recording)).toEqual(['start', 'iteration', 'end']);
    expect(recording.run.warnings.join()).toContain('1 mark of run.log left out: no time near it');
  });

  it('the start may come before the first sample', async () => {
    const log = '2016-04-26T17:53:20.5Z start\n2016-04-26T17:53:30Z Epoch 1\n';
    const recording = await withLog(log, WRITTEN);
    expect(recording.run.startedAt).toBe('2016-04-26T17:53:20.000Z');
    expect(asCsv(recording).split('\n')[1]).toMatch(/^8\.329[78]99?\d*,/);
  });

  it('go back to their raw form', async () => {
    const recording = await openInput(FREE_LOG);
    const { readFileSync } = await import('node:fs');
    expect([...freeLog.write!(recording)].join('')).toBe(readFileSync(FREE_LOG, 'utf8'));
    const many = samples(1_461_693_208, 700);
    const folder = tempFolder();
    mkdirSync(join(folder, 'x'));
    writeFileSync(join(folder, 'x/a.log'), many);
    const again = [...freeLog.write!(await openInput(join(folder, 'x/a.log')))];
    expect(again.length).toBeGreaterThan(2);
    expect(again.join('')).toBe(many);
  });
});
