import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { WindowTaker } from '../src/metrics/window/window-taker.ts';
import { folderFiles } from '../src/model/disk/files.ts';
import { openRecording } from '../src/model/disk/reader.ts';
import type { Recording } from '../src/model/recording.ts';
import { recordCommand } from './recorders.ts';
import { atMost, type Benchmark, percent } from './result.ts';
import { withFolder } from './scratch.ts';

const RANKS = 8;
const RATE_HZ = 100;
const EVERY_SECONDS = 15;
/** The priority of the pushing thread, by which it is told from the others. */
const NICE = 10;
/** The first window ends, waits for late rows and is sent; from then on counts. */
const WARM_UP_SECONDS = 20;
const LIMIT_PERCENT = 0.5;

export const push: Benchmark = {
  name: 'push',
  title: `CPU of record --push after the first push, ${RANKS} recorders at ${RATE_HZ} Hz, every ${EVERY_SECONDS} s`,
  minutes: 5,
  async run({ quick }) {
    const seconds = quick ? 45 : 120;
    const server = await receiver();
    const { port } = server.address() as AddressInfo;
    const flags = ['--push', `http://127.0.0.1:${port}/api/v1/write`];
    try {
      return await withFolder(async (folder) => {
        const pushing = await measure(join(folder, 'with'), seconds, flags);
        const plain = await measure(join(folder, 'without'), seconds, []);
        const rank = readdirSync(join(folder, 'with'))[0]!;
        const windows = windowShare(openWhole(join(folder, 'with', rank))) * RANKS;
        return [
          atMost(
            `${RANKS} ranks: pushing threads and windows`,
            100 * (pushing.pushing + windows),
            LIMIT_PERCENT,
            '% of a core',
            3,
          ),
          { what: 'of it the pushing threads', figure: percent(pushing.pushing) },
          { what: 'of it the windows, where rows are written', figure: percent(windows) },
          {
            what: 'all threads of the recorders, with and without',
            figure: `${percent(pushing.all)} / ${percent(plain.all)}`,
          },
        ];
      });
    } finally {
      server.close();
      server.closeAllConnections();
    }
  },
};

/** Takes everything, as a server of remote-write 1.0 does. */
async function receiver(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(204).end());
  });
  // Node closes after five seconds; Prometheus keeps a connection for five minutes, VictoriaMetrics for one.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** Shares of a core: of the pushing threads, and of all threads of the recorders. */
interface Shares {
  readonly pushing: number;
  readonly all: number;
}

async function measure(folder: string, seconds: number, flags: readonly string[]): Promise<Shares> {
  const workload = ['sleep', String(seconds + WARM_UP_SECONDS + 5)];
  const recorders = Array.from({ length: RANKS }, (_, rank) =>
    start(
      recordCommand(join(folder, `rank${rank}`), RATE_HZ, workload, '--agent', 'off', ...flags),
    ),
  );
  try {
    await sleep(WARM_UP_SECONDS);
    const [began, before] = [performance.now(), recorders.map(threadTimes)];
    await sleep(seconds);
    const [ended, after] = [performance.now(), recorders.map(threadTimes)];
    const wallNs = (ended - began) * 1e6;
    const spent = (wanted: (nice: number) => boolean) =>
      after.reduce((sum, threads, rank) => {
        for (const [thread, { ns, nice }] of threads)
          if (wanted(nice)) sum += ns - (before[rank]!.get(thread)?.ns ?? 0);
        return sum;
      }, 0);
    return { pushing: spent((nice) => nice === NICE) / wallNs, all: spent(() => true) / wallNs };
  } finally {
    await Promise.all(recorders.map(ended));
  }
}

const sleep = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

function start([program, ...words]: readonly string[]): ChildProcess {
  return spawn(program!, words, { stdio: 'ignore' });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  await new Promise((resolve) => child.once('exit', resolve));
}

/** Processor time of each thread, in ns as the scheduler counts it, and its priority. */
function threadTimes({ pid }: ChildProcess): Map<string, { ns: number; nice: number }> {
  const threads = readdirSync(`/proc/${pid}/task`);
  return new Map(
    threads.map((thread) => {
      const text = (name: string) => readFileSync(`/proc/${pid}/task/${thread}/${name}`, 'utf8');
      const fields = text('stat').split(') ')[1]!.split(' ');
      return [thread, { ns: Number(text('schedstat').split(' ')[0]), nice: Number(fields[16]) }];
    }),
  );
}

const openWhole = (folder: string): Recording => openRecording(folderFiles(folder));

/** What making windows of a recording costs, by its own time: the writing thread does it batch by batch. */
function windowShare(recording: Recording): number {
  const clock = recording.table('clock');
  // Read from the disk before anything is measured.
  const tables = recording.tables.filter((name) => name !== 'clock').map((n) => recording.table(n));
  const lengthNs = clock.f64('monotonic').at(-1)!;
  const make = () => {
    const taker = new WindowTaker(EVERY_SECONDS * 1e9, () => {});
    // In the order in which they were written: a flush of each table, then its clock.
    for (const [flush, batch] of clock.batches.entries()) {
      for (const { spec, batches } of tables) {
        if (batches[flush]) taker.take(spec, batches[flush]);
      }
      taker.take(clock.spec, batch);
    }
    taker.end();
  };
  make(); // the first push is not counted
  const rounds = 20; // a quarter of an hour and more of its life
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round++) make();
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / rounds / lengthNs;
}
