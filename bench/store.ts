import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { RecordingBuilder } from '../src/model/builder.ts';
import { saveRecording } from '../src/model/disk/save.ts';
import { type Benchmark, megabytes, type Row } from './result.ts';
import { withFolder } from './scratch.ts';
import { usageOf } from './usage.ts';

/**
 * What a rank's hour takes in a store, and what it costs to put it there. The rank is simulated: 20 samples a second of the
 * machine, of a training with four loaders, of its control group and of one card; two iterations a second. Sizes move by whole pages at
 * every sample, as those of a busy training do; a quiet one takes less.
 */
export const store: Benchmark = {
  name: 'store',
  title: 'recordings as Parquet and in ClickHouse: bytes for each rank and hour, memory of a day',
  minutes: 6,
  run: ({ quick }) => withFolder((folder) => measured(folder, quick)),
};

const CLI = resolve('dist/cli.js');
const PYTHON = resolve('.fleet/python/bin/python');
const RATE_HZ = 20;

async function measured(folder: string, quick: boolean): Promise<Row[]> {
  const hours = quick ? 0.25 : 1;
  const ranks = 2;
  const runs = join(folder, 'runs');
  for (let rank = 0; rank < ranks; rank++) writeRank(join(runs, `rank${rank}.hw`), rank, hours);
  const parquet = join(folder, 'parquet');
  const used = await usageOf(exporting(runs, parquet), join(folder, 'out.txt'));
  const perHour = (bytes: number) => bytes / ranks / hours;
  const recorded = perHour(sizeOf(runs));
  const exported = perHour(sizeOf(parquet));
  const rows: Row[] = [
    { what: 'recording, a rank and hour', figure: megabytes(recorded) },
    inStore('Parquet, a rank and hour', exported, recorded),
    {
      what: 'export --to parquet, a rank and hour',
      figure: `${(used.cpuSeconds / ranks / hours).toFixed(1)} s of a core`,
    },
  ];
  const inServer = await clickHouseBytes(folder, runs);
  if (inServer !== null) {
    rows.push(inStore('ClickHouse, a rank and hour', perHour(inServer), recorded));
  }
  const day = join(folder, 'day.hw');
  writeRank(day, 0, quick ? 2 : 24);
  const ofDay = await usageOf(exporting(day, join(folder, 'day')), join(folder, 'out.txt'));
  rows.push(
    {
      what: `export of ${quick ? 'two hours' : 'a day'} (${megabytes(sizeOf(day))}), peak memory`,
      figure: megabytes(ofDay.peakBytes),
    },
    { what: 'the same, time', figure: `${ofDay.seconds.toFixed(0)} s` },
  );
  return rows;
}

const exporting = (input: string, folder: string) =>
  [process.execPath, CLI, 'export', input, '--to', 'parquet', '-o', folder] as const;

const inStore = (what: string, bytes: number, recorded: number): Row => ({
  what,
  figure: `${(bytes / 1e6).toFixed(2)} MB`,
  peer: 'the recording',
  theirs: megabytes(recorded),
  ratio: bytes / recorded,
});

function sizeOf(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

const PAGE = 4096;
const GiB = 2 ** 30;
const PIDS = [100, 101, 102, 103, 104];

function writeRank(path: string, rank: number, hours: number): void {
  const builder = new RecordingBuilder({
    id: `${rank}`.padStart(16, '0'),
    name: 'train',
    argv: ['python', 'train.py'],
    subject: 'command',
    startedAt: '2026-11-01T00:00:00.000Z',
    endedAt: new Date(Date.UTC(2026, 10, 1) + hours * 3.6e6).toISOString(),
    labels: { launcher: 'slurm', job: '4711', rank: String(rank), worldSize: '8' },
    gpus: [{ index: 0, uuid: 'GPU-0', name: 'simulated', memoryBytes: 80 * GiB }],
  });
  const fields = ['MemTotal', 'MemFree', 'MemAvailable', 'Buffers', 'Cached', 'AnonPages', 'Shmem'];
  const host = builder.table('host', fields);
  const [process, group, gpu] = [
    builder.table('process'),
    builder.table('cgroup'),
    builder.table('gpu'),
  ];
  const marks = builder.table('marks');
  const [kind, name] = [builder.intern('iteration'), builder.intern('iteration')];
  const random = pages(rank);
  const held = PIDS.map((_, i) => (i === 0 ? 4 * GiB : GiB));
  for (let i = 0; i < hours * 3600 * RATE_HZ; i++) {
    // As late as a sampling thread on a busy machine: up to a tenth of a millisecond either way.
    const time = (i / RATE_HZ) * 1e9 + random() * 2000;
    let sum = 0;
    for (const [p, pid] of PIDS.entries()) {
      held[p] = Math.max(GiB / 2, held[p]! + random() * PAGE);
      sum += held[p]!;
      const parts = [held[p]!, held[p]! * 0.75, held[p]! * 0.25, 0, 0, held[p]!];
      process.push([time, pid, ...parts, held[p]! - 50 * PAGE, 0, null]);
    }
    const free = 100 * GiB - sum + random() * PAGE;
    host.push([time, 128 * GiB, free, free, 3e8, 8e9, sum, 0, null, 5e7, null]);
    group.push([time, sum, sum, 0, 1e8, 0, sum, 0]);
    // Forward and backward: what lives on the card goes up and down with each iteration.
    const step = (i % 10) / 10;
    const used = Math.round((30 + 20 * Math.sin(step * Math.PI)) * 1024) * 2 ** 20;
    gpu.push([time, 0, used, 5e8, 80 * GiB - used, 80 * GiB]);
    if (i % 10 === 0) marks.push([time, 0, 100, rank, kind, name, 0, i / 10, 1 / (i + 1)]);
  }
  mkdirSync(path, { recursive: true });
  saveRecording(builder.build(), path);
}

/** Whole numbers from −50 to 50, always the same ones. */
function pages(seed: number): () => number {
  let state = 12345 + seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state % 101) - 50;
  };
}

/** Null where the tests' ClickHouse is not installed (`npm run test:fleet`). */
async function clickHouseBytes(folder: string, runs: string): Promise<number | null> {
  if (!existsSync(PYTHON)) return null;
  const port = await freePort();
  const place = join(folder, 'server');
  mkdirSync(place);
  const script = resolve('test/fleet/servers/chdb_server.py');
  const child = spawn(PYTHON, [script, String(port), place], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  const ask = async (statement: string) =>
    (await fetch(url, { method: 'POST', body: statement })).text();
  try {
    while (
      !(await fetch(url).then(
        () => true,
        () => false,
      ))
    ) {
      if (child.exitCode !== null) throw new Error('the server ended at once');
      await new Promise((done) => setTimeout(done, 100));
    }
    const target = `clickhouse://127.0.0.1:${port}/bench`;
    await usageOf([process.execPath, CLI, 'push', runs, target], join(folder, 'out.txt'));
    for (const table of ['series', 'marks']) await ask(`OPTIMIZE TABLE bench.${table} FINAL`);
    const sum = "SELECT sum(bytes_on_disk) FROM system.parts WHERE database = 'bench' AND active";
    return Number(await ask(sum));
  } finally {
    child.kill();
  }
}

function freePort(): Promise<number> {
  return new Promise((ready) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => ready(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
