import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { PATIENCE, Sender } from '../../src/metrics/send/sender.ts';
import { targetOf } from '../../src/metrics/send/target.ts';
import { series } from '../../src/model/series.ts';
import { highwater, open, place, readRun, start } from '../support/recorder.ts';
import { faultyProxy } from './faulty-proxy.ts';
import { moment } from './moment.ts';
import {
  type Found,
  PROMETHEUS_PART,
  PROMETHEUS_VERSIONS,
  startPrometheus,
} from './servers/prometheus.ts';
import { freePorts, whereFleet } from './servers/server.ts';
import {
  startVictoriaMetrics,
  VICTORIA_METRICS_PART,
  VICTORIA_METRICS_VERSIONS,
} from './servers/victoria-metrics.ts';

/** Spikes that no scrape of a second would see, and iterations. */
const PROGRAM = `
import time
for step in range(4):
    held = bytearray(30_000_000 + 7_000_000 * step); time.sleep(0.1); del held
    print(f'iteration {step + 1} loss 0.5', flush=True)
    time.sleep(0.7)
`;
const COMMAND = ['--', 'python3', '-c', PROGRAM];
const FLAGS = ['-q', '--agent', 'off', '--before', '0.2', '--after', '0.2', '--push-every', '1s'];
const SERIES = {
  'tree.rss': 'highwater_tree_rss_window_peak_bytes',
  'tree.pss': 'highwater_tree_pss_window_peak_bytes',
  'tree.held': 'highwater_tree_held_window_peak_bytes',
  'host.used': 'highwater_host_used_window_peak_bytes',
} as const;

interface Asked {
  query(expression: string, time?: number): Promise<Found[]>;
}
interface Stored extends Asked {
  readonly writeUrl: string;
  flush?(): Promise<void>;
}

/** The peaks that a recording has. */
function peaksOf(folder: string): Record<string, number> {
  const recording = open(folder);
  const peaks = Object.entries(SERIES).map(([name, metric]) => {
    const { values } = series(recording, name)!;
    return [metric, values.reduce((most, value) => Math.max(most, value), 0)];
  });
  return Object.fromEntries(peaks) as Record<string, number>;
}

/** A moment that all samples lie before: a query of now may leave out those of the last second. */
const soon = () => Date.now() / 1000 + 2;

/** The largest that a server has of each, of one run. */
async function peaksIn(
  server: Asked,
  run: string,
  seconds = soon(),
  names: readonly string[] = Object.values(SERIES),
): Promise<Record<string, number>> {
  const found = names.map(async (metric) => {
    const [one] = await server.query(
      `max_over_time({__name__="${metric}",run="${run}"}[1h])`,
      seconds,
    );
    return [metric, Number(one?.value[1])];
  });
  return Object.fromEntries(await Promise.all(found)) as Record<string, number>;
}

const SERVERS: [string, 'debian' | 'testing', () => Promise<Stored>][] = [
  ...PROMETHEUS_VERSIONS.map(
    (version) =>
      [
        `Prometheus ${version}`,
        PROMETHEUS_PART[version],
        () => startPrometheus(version, { outOfOrder: '30d' }),
      ] as [string, 'debian' | 'testing', () => Promise<Stored>],
  ),
  ...VICTORIA_METRICS_VERSIONS.map(
    (version) =>
      [
        `VictoriaMetrics ${version}`,
        VICTORIA_METRICS_PART[version],
        // It keeps what comes twice, unless it is told not to.
        () => startVictoriaMetrics(version, ['-dedup.minScrapeInterval=1ms']),
      ] as [string, 'debian' | 'testing', () => Promise<Stored>],
  ),
];

describe('record --push', () => {
  for (const [name, part, startOne] of SERVERS) {
    whereFleet(part)(`${name} has the recording's peaks, exactly`, async () => {
      const server = await startOne();
      const folder = place();
      const run = await highwater(
        ['record', '-o', folder, '--push', server.writeUrl, ...FLAGS, ...COMMAND],
        { env: { RANK: '1', WORLD_SIZE: '4', TORCHELASTIC_RUN_ID: 'job-1' } },
      );
      expect(run.stderr).toBe('');
      await server.flush?.();
      const rank = join(folder, readdirSync(folder)[0]!); // a folder for each rank
      const { id } = readRun(rank);
      expect(await peaksIn(server, id)).toEqual(peaksOf(rank));
      const steps = await server.query(
        `max_over_time(highwater_iterations_total{run="${id}"}[1h])`,
        soon(),
      );
      expect(steps[0]!.value[1]).toBe('4');
      expect(steps[0]!.metric).toMatchObject({ job: 'job-1', rank: '1' });
      const kinds = await server.query(`count by (name) (highwater_run_info{run="${id}"} == 1)`);
      expect(kinds[0]!.metric.name).toBe('python3');
    });
  }

  whereFleet('testing')('VictoriaMetrics takes OTLP', async () => {
    const server = await startVictoriaMetrics('1.145');
    const folder = place();
    const argv = ['record', '-o', folder, '--push', server.otlpUrl, ...FLAGS, ...COMMAND];
    expect((await highwater(argv)).stderr).toBe('');
    await server.flush();
    const { id } = readRun(folder);
    const metric = 'highwater.tree.rss.window_peak';
    const found = await peaksIn(server, id, undefined, [metric]);
    expect(found[metric]).toBe(peaksOf(folder)[SERIES['tree.rss']]);
  });

  whereFleet('debian')('a server that comes late has everything', async () => {
    const [port] = await freePorts(1);
    const folder = place();
    const url = `http://127.0.0.1:${port}/api/v1/write`;
    const { finished } = start([
      ...['record', '-o', folder, '--push', url, ...FLAGS, '--', 'sh', '-c'],
      'python3 -c "$0"; sleep 12',
      PROGRAM,
    ]);
    await new Promise((resolve) => setTimeout(resolve, 3000)); // it is down for a while
    const server = await startVictoriaMetrics('1.79', [], { port });
    const run = await finished;
    expect(run.stderr).toMatch(
      /^highwater: metrics do not reach .* they are kept and tried again\n$/,
    );
    await server.flush();
    const { id } = readRun(folder);
    expect(await peaksIn(server, id)).toEqual(peaksOf(folder));
  });
});

/** It takes only what is newer than what it has, and that once more if it is the same. */
describe.each([
  // Its first request is of 2.0, which it takes and forgets; the second has all.
  ['2.42', { sent: 4, unknown: 16 }],
  ['3.5', { sent: 8, unknown: 12 }],
] as const)('a repeat to Prometheus %s of what it had taken', (version, expected) => {
  whereFleet(PROMETHEUS_PART[version])('is not called lost, and not stored', async () => {
    const server = await startPrometheus(version);
    const proxy = await faultyProxy(server.url, (_, n) => (n === 1 ? 'forget' : null));
    const url = `http://127.0.0.1:${proxy.port}/api/v1/write`;
    const sender = new Sender(targetOf(url), {}, () => {}, { ...PATIENCE, firstMs: 10 });
    for (let at = 1; at <= 5; at++) sender.add(moment(at));
    const sent = await sender.finish(20_000);
    await proxy.close();
    expect(sent).toMatchObject({ ...expected, refused: 0, overflowed: 0, left: 0 });
    expect(sent.problem).toMatch(/^HTTP 400: out of order sample/);
    const [count] = await server.query('count_over_time(highwater_tree_rss_bytes[1h])', soon());
    expect(count!.value[1]).toBe('5'); // they were there all the time
  });
});

describe('push of finished recordings', () => {
  const DAY_MS = 86_400_000;
  let folder = '';
  let id = '';
  let endSeconds = 0;
  /** As if it had been recorded two days ago. */
  beforeAll(async () => {
    const recorded = place();
    await highwater(['record', '-o', recorded, ...FLAGS, ...COMMAND]);
    folder = place();
    cpSync(recorded, folder, { recursive: true });
    const run = readRun(folder);
    const shift = (text: string) => new Date(Date.parse(text) - 2 * DAY_MS).toISOString();
    const old = { ...run, startedAt: shift(run.startedAt), endedAt: shift(run.endedAt!) };
    writeFileSync(join(folder, 'run.json'), JSON.stringify(old));
    id = run.id;
    endSeconds = Date.parse(old.endedAt) / 1000 + 1;
  });

  for (const [name, part, startOne] of SERVERS) {
    whereFleet(part)(`${name} has its peaks at its own times, once`, async () => {
      const server = await startOne();
      for (let again = 0; again < 2; again++) {
        const run = await highwater(['push', folder, server.writeUrl]);
        expect(run.code, run.stderr).toBe(0);
      }
      await server.flush?.();
      expect(await peaksIn(server, id, endSeconds)).toEqual(peaksOf(folder));
      const [count] = await server.query(
        `count_over_time(highwater_host_used_bytes{run="${id}"}[1h])`,
        endSeconds,
      );
      expect(count!.value[1]).toBe('2'); // the window of the first second and that of the rest
    });
  }

  whereFleet('testing')(
    'a Prometheus that takes nothing old says so, and what it needs',
    async () => {
      const server = await startPrometheus('3.5');
      // An empty one would take anything: what is old is told by what is newest.
      await highwater(['record', '-o', place(), '--push', server.writeUrl, ...FLAGS, '--', 'true']);
      const run = await highwater(['push', folder, server.writeUrl]);
      expect(run.code).toBe(1);
      expect(run.stderr).toMatch(/storage\.tsdb\.out_of_order_time_window/);
      expect(readFileSync(join(folder, 'run.json'), 'utf8')).toContain(id);
    },
  );
});
