import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { remoteWrite1 } from '../src/metrics/wire/remote-write.ts';
import { lackOf, partFolder } from '../test/fleet/servers/folder.ts';
import { rankSamples, type SimulatedJob } from '../test/support/fleet-metrics.ts';
import { atMost, type Benchmark, type Row } from './result.ts';
import { withFolder } from './scratch.ts';

const WINDOW_SECONDS = 15;
const WINDOWS_AN_HOUR = 3600 / WINDOW_SECONDS;
const TICKS_A_SECOND = 100;
/** Ranks do not push at one moment, but over the window; so many wait at once. */
const AT_ONCE = 16;

/** The metrics of simulated ranks, each pushed in a request of its own as recorders do, into one real Prometheus. */
export const fleet: Benchmark = {
  name: 'fleet',
  title: 'metrics of 1,000 simulated ranks into one Prometheus; bytes a rank and hour',
  minutes: 3,
  async run({ quick }) {
    const lack = lackOf('testing');
    if (lack !== null) throw new Error(lack);
    const rows = await withFolder((folder) => ingest(folder, 1000, quick ? 3 : 12));
    return [...rows, ...(await withFolder((folder) => onDisk(folder, quick ? 20 : 100)))];
  },
};

async function ingest(folder: string, ranks: number, windows: number): Promise<Row[]> {
  const server = await startPrometheus(folder);
  try {
    const job = { job: 'bench', ranks };
    // The first window makes the series, which costs a server more than all that follow.
    const first = await push(server, job, 0, 1);
    const cpuBefore = server.cpuSeconds();
    const rest = await push(server, job, 1, windows);
    const cpu = (server.cpuSeconds() - cpuBefore) / (windows - 1);
    const seconds = rest.seconds / (windows - 1);
    const samples = rest.samples / (windows - 1);
    return [
      {
        what: `series of ${ranks} ranks`,
        figure: `${Math.round(samples)} (${samples / ranks} each)`,
      },
      { what: 'first window, which makes the series', figure: `${first.seconds.toFixed(1)} s` },
      atMost(
        `a window of ${ranks} ranks, taken in as fast as it goes`,
        seconds,
        WINDOW_SECONDS,
        's',
      ),
      { what: 'processor time of Prometheus for it', figure: `${cpu.toFixed(2)} s` },
      { what: 'its memory', figure: `${Math.round(server.rss() / 1e6)} MB` },
      {
        what: 'a push of a rank on the wire',
        figure: `${Math.round(rest.bytes / rest.requests)} bytes`,
      },
      {
        what: 'a rank and hour on the wire',
        figure: `${(((rest.bytes / rest.requests) * WINDOWS_AN_HOUR) / 1e6).toFixed(2)} MB`,
      },
    ];
  } finally {
    await server.stop();
  }
}

/** An hour of some ranks, then a snapshot: that writes what is in memory as the block that it will be. */
async function onDisk(folder: string, ranks: number): Promise<Row[]> {
  const server = await startPrometheus(folder);
  try {
    await push(server, { job: 'bench', ranks }, 0, WINDOWS_AN_HOUR);
    const wal = sizeOf(join(folder, 'data/wal'));
    const response = await fetch(`${server.url}/api/v1/admin/tsdb/snapshot`, { method: 'POST' });
    if (!response.ok) throw new Error(await response.text());
    const block = sizeOf(join(folder, 'data/snapshots'));
    const samples = ranks * WINDOWS_AN_HOUR * rankSamples({ job: '', ranks }, 0, 0).length;
    return [
      {
        what: 'a rank and hour in Prometheus, as a block',
        figure: `${(block / ranks / 1000).toFixed(0)} kB`,
      },
      { what: 'a sample in it', figure: `${(block / samples).toFixed(2)} bytes` },
      {
        what: 'a rank and hour in its log of the last hours',
        figure: `${(wal / ranks / 1000).toFixed(0)} kB`,
      },
    ];
  } finally {
    await server.stop();
  }
}

interface Pushed {
  readonly seconds: number;
  readonly requests: number;
  readonly samples: number;
  readonly bytes: number;
}

async function push(server: Server, job: SimulatedJob, from: number, to: number): Promise<Pushed> {
  const beganMs = server.beganMs;
  const turns = (function* () {
    for (let window = from; window < to; window++) {
      for (let rank = 0; rank < job.ranks; rank++) yield { window, rank };
    }
  })();
  let [requests, samples, bytes] = [0, 0, 0];
  const began = performance.now();
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const { window, rank } of turns) {
        const of = rankSamples(job, rank, beganMs + window * WINDOW_SECONDS * 1000);
        const { body, headers } = remoteWrite1(of);
        await post(agent, `${server.url}/api/v1/write`, body, headers);
        requests++;
        samples += of.length;
        bytes += body.length;
      }
    }),
  );
  agent.destroy();
  return { seconds: (performance.now() - began) / 1000, requests, samples, bytes };
}

function post(
  agent: Agent,
  url: string,
  body: Uint8Array,
  headers: Record<string, string>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.on('data', (part) => {
        text += part;
      });
      response.on('end', () =>
        response.statusCode! < 300
          ? resolve()
          : reject(new Error(`${response.statusCode}: ${text}`)),
      );
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

interface Server {
  readonly url: string;
  /** Time of the first window: a while ago, so that all of them are past. */
  readonly beganMs: number;
  cpuSeconds(): number;
  rss(): number;
  stop(): Promise<void>;
}

async function startPrometheus(folder: string): Promise<Server> {
  const port = await freePort();
  const config = join(folder, 'prometheus.yml');
  writeFileSync(config, 'storage:\n  tsdb:\n    out_of_order_time_window: 1d\n');
  const child = spawn(
    join(partFolder('testing'), 'usr/bin/prometheus'),
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--web.enable-remote-write-receiver',
      '--web.enable-admin-api',
    ],
    { stdio: 'ignore' },
  );
  const url = `http://127.0.0.1:${port}`;
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error('Prometheus ended at once');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    url,
    beganMs: Date.now() - 3_600_000,
    cpuSeconds: () => {
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
      return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
    },
    rss: () =>
      Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]) * 1024,
    stop: () => ended(child),
  };
}

const isReady = (url: string) =>
  fetch(`${url}/-/ready`).then(
    (response) => response.ok,
    () => false,
  );

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

function sizeOf(folder: string): number {
  if (!existsSync(folder)) return 0;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files.reduce((sum, name) => {
    const stat = lstatSync(join(folder, name));
    return sum + (stat.isFile() ? stat.size : 0);
  }, 0);
}
