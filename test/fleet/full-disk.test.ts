import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { MiB } from '../../src/base/bytes.ts';
import { PATIENCE, Sender } from '../../src/metrics/send/sender.ts';
import { targetOf } from '../../src/metrics/send/target.ts';
import { lossLine } from '../../src/metrics/send/words.ts';
import { series } from '../../src/model/series.ts';
import { where } from '../support/programs.ts';
import { open, place, readRun, start } from '../support/recorder.ts';
import { moment } from './moment.ts';
import { lackOf } from './servers/folder.ts';
import { type Found, startPrometheus } from './servers/prometheus.ts';
import { startVictoriaMetrics } from './servers/victoria-metrics.ts';

/** A file system of its own for a server's data, which can be filled and be given room again. */
class SmallDisk {
  readonly folder = mkdtempSync(join(tmpdir(), 'highwater-disk-'));
  readonly #filler = join(this.folder, 'filler');

  constructor(bytes: number) {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'highwater-test', this.folder]);
    disks.add(this);
    mkdirSync(this.data);
  }

  get data(): string {
    return join(this.folder, 'data');
  }

  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.folder);
    return bavail * bsize;
  }

  fill(leave: number): void {
    const fd = openSync(this.#filler, 'a');
    try {
      while (this.freeBytes > leave) writeSync(fd, Buffer.alloc(4096, 1));
      while (leave === 0) writeSync(fd, Buffer.alloc(4096, 1));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(fd);
    }
  }

  makeRoom(): void {
    rmSync(this.#filler);
  }

  remove(): void {
    execFileSync('umount', ['--lazy', this.folder]);
    rmdirSync(this.folder);
  }
}

const disks = new Set<SmallDisk>();
afterAll(() => {
  for (const disk of disks) disk.remove();
});

function lackOfMounts(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'highwater-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'highwater-test', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder]);
    return null;
  } catch {
    return 'a file system of its own cannot be mounted: needs root';
  } finally {
    rmdirSync(folder);
  }
}

interface Stored {
  readonly writeUrl: string;
  query(expression: string, time?: number): Promise<Found[]>;
  flush?(): Promise<void>;
}

interface Kind {
  readonly name: string;
  start(data: string): Promise<Stored & { readonly url: string }>;
  /** Bytes that are left of a disk that is full for it. */
  readonly leave: number;
  /** Whether it knows that. */
  knows(url: string): Promise<boolean>;
}

const SERVERS: readonly Kind[] = [
  {
    name: 'Prometheus 3.5',
    start: (data) => startPrometheus('3.5', { data }),
    leave: 0,
    knows: async () => true,
  },
  // It takes nothing any more below this, and ends where nothing at all is left; it looks from time to time.
  {
    name: 'VictoriaMetrics 1.145',
    start: (data) =>
      startVictoriaMetrics('1.145', ['-storage.minFreeDiskSpaceBytes=16MB'], { data }),
    leave: 8 * MiB,
    knows: async (url) =>
      /^vm_storage_is_read_only\{.*\} 1$/m.test(await (await fetch(`${url}/metrics`)).text()),
  },
];

async function onFullDisk({ start, leave, knows }: Kind) {
  const disk = new SmallDisk(64 * MiB);
  const server = await start(disk.data);
  disk.fill(leave);
  await expect.poll(() => knows(server.url)).toBe(true);
  return { disk, server };
}

const PEAK = 'highwater_tree_rss_window_peak_bytes';
/** The same work each time: a spike in each of its steps. */
const WORK = `
import time
for step in range(12):
    held = bytearray(b'x') * (20_000_000 + 3_000_000 * step); time.sleep(0.1); del held
    print(f'iteration {step + 1} loss 0.5', flush=True)
    time.sleep(0.9)
`;

function record(server: Stored | null, folder: string) {
  const flags = ['-q', '--agent', 'off', '--before', '0.2', '--after', '0.2'];
  const push = server ? ['--push', server.writeUrl, '--push-every', '1s'] : [];
  return start(['record', '-o', folder, ...flags, ...push, '--', 'python3', '-c', WORK]);
}

/** What its recording says has to be there, whatever became of the server. */
function expectWhole(folder: string): number {
  const recording = open(folder);
  expect(recording.damage).toEqual([]);
  const marks = recording.table('marks').f64('iteration');
  expect(Math.max(...marks.filter((n) => !Number.isNaN(n)))).toBe(12);
  return Math.max(...series(recording, 'tree.rss')!.values);
}

/** What the workload itself did in a second, from its first iteration to its last. */
function rateOf(folder: string): number {
  const marks = open(folder).table('marks');
  const numbers = marks.f64('iteration');
  const times = marks.f64('time').filter((_, row) => !Number.isNaN(numbers[row]!));
  return (times.length - 1) / (times.at(-1)! - times[0]!);
}

async function storedPeak(server: Stored, folder: string): Promise<number | undefined> {
  await server.flush?.();
  const { id } = readRun(folder);
  const found = await server.query(
    `max_over_time(${PEAK}{run="${id}"}[1h])`,
    Date.now() / 1000 + 2,
  );
  return found[0] && Number(found[0].value[1]);
}

const wanted = where(lackOf('testing') ?? lackOfMounts());

describe.each(SERVERS)('a full disk of $name', (kind) => {
  wanted('loses nothing where room is made before the run ends', async () => {
    const { disk, server } = await onFullDisk(kind);
    const folder = place();
    // The same work beside it that sends nothing has the same machine.
    const alone = place();
    const beside = record(null, alone).finished;
    const { child, finished } = record(server, folder);
    let said = '';
    child.stderr!.on('data', (text) => {
      said += text;
    });
    await expect.poll(() => said).toMatch(/do not reach/);
    disk.makeRoom();
    const run = await finished;
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(
      /^highwater: metrics do not reach [^\n]*: HTTP 5\d\d: [^\n]*; they are kept and tried again\n$/,
    );
    expect(readRun(folder).warnings).toEqual([]);
    expect(await storedPeak(server, folder)).toBe(expectWhole(folder));
    expect((await beside).code).toBe(0);
    const share = rateOf(folder) / rateOf(alone);
    console.log(`rate with a full disk's server: ${share.toFixed(3)} of that without`);
    expect(share).toBeGreaterThan(0.8); // one request that it waited for would cost more
  });

  wanted('loses what its queue cannot hold, the oldest, and counts it', async () => {
    const { disk, server } = await onFullDisk(kind);
    const problems: string[] = [];
    const patience = { ...PATIENCE, queued: 40, firstMs: 100, mostMs: 200 };
    const say = (problem: string) => problems.push(problem);
    const sender = new Sender(targetOf(server.writeUrl), {}, say, patience);
    for (let at = 1; at <= 30; at++) sender.add(moment(at));
    await expect.poll(() => problems.length).toBe(1);
    disk.makeRoom();
    const sent = await sender.finish(40_000);
    expect(sent).toMatchObject({ sent: 40, refused: 0, overflowed: 80, left: 0, unknown: 0 });
    expect(lossLine('s', sent)).toMatch(
      /^80 of 120 values did not reach s: 80 let go as too many waited; HTTP 5\d\d: /,
    );
    await server.flush?.();
    const [newest] = await server.query(
      'max_over_time(highwater_tree_rss_bytes[1h])',
      Date.now() / 1000 + 2,
    );
    expect(newest!.value[1]).toBe('30');
  });

  wanted('is said in one line where there is no room to the end', async () => {
    const { disk, server } = await onFullDisk(kind);
    const folder = place();
    const run = await record(server, folder).finished;
    expect(run.code).toBe(0);
    const lost = run.stderr.split('\n').filter((line) => line.includes('did not reach'));
    const { warnings } = readRun(folder);
    expect(warnings).toHaveLength(1);
    expect(lost).toEqual([`highwater: ${warnings[0]}`]);
    expect(warnings[0]).toMatch(
      /^(\d+) of \1 values did not reach .*: \1 not sent when the run ended; HTTP 5\d\d/,
    );
    expectWhole(folder);
    disk.makeRoom();
  });
});
