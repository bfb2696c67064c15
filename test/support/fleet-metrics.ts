import { GiB, MiB } from '../../src/base/bytes.ts';
import { METRICS, type Metric, type MetricKey } from '../../src/metrics/list.ts';
import type { Sample } from '../../src/metrics/samples.ts';
import { remoteWrite1 } from '../../src/metrics/wire/remote-write.ts';

/** The ranks of a simulated job: eight to a machine, a recorder and a card for each. */
export interface SimulatedJob {
  readonly job: string;
  readonly ranks: number;
}

const PAGE = 4096;
const RANKS_A_HOST = 8;
/** What a rank holds of each, about, in bytes; its figures move from window to window as those of a training do. */
const ABOUT: Partial<Record<MetricKey, number>> = {
  hostUsed: 400 * GiB,
  hostTotal: 1024 * GiB,
  treeRss: 21 * GiB,
  treePss: 18 * GiB,
  treeHeld: 16 * GiB,
  treeSwap: 0,
  rankRss: 21 * GiB,
  rankPss: 18 * GiB,
  agent: 3 * MiB,
  recorder: 90 * MiB,
  groupCurrent: 24 * GiB,
  groupPeak: 26 * GiB,
  groupLimit: 64 * GiB,
  requested: 64 * GiB,
  gpuUsed: 70 * GiB,
  gpuTotal: 80 * GiB,
  gpuTree: 69 * GiB,
  torchAllocated: 58 * GiB,
  torchReserved: 66 * GiB,
  torchPeak: 63 * GiB,
};
/** Those that stay as they are. */
const FIXED = new Set<MetricKey>([
  'hostTotal',
  'groupLimit',
  'requested',
  'gpuTotal',
  'torchPeak',
  'treeSwap',
]);

/** All that a recorder of one rank sends of a window. The same for the same rank and moment. */
export function rankSamples({ job }: SimulatedJob, rank: number, timeMs: number): Sample[] {
  const labels = {
    job,
    host: `node-${String(Math.floor(rank / RANKS_A_HOST)).padStart(4, '0')}`,
    run: `2026-11-18T10-00-00-${job}-${String(rank).padStart(5, '0')}`,
    rank: String(rank),
  };
  const card = { card: String(rank % RANKS_A_HOST), uuid: `GPU-${hash(rank, 1)}-${hash(rank, 2)}` };
  const counted = Math.floor(timeMs / 250) % 1e7;
  return (Object.keys(METRICS) as MetricKey[]).flatMap((metric) => {
    const about: Metric = METRICS[metric];
    const own = {
      ...(about.labels?.includes('card') && card),
      ...(about.labels?.includes('device') && { device: '0' }),
      ...(metric === 'info' && { name: job, launcher: 'torchrun', version: '0.1.0' }),
    };
    const sample = { metric, labels: { ...labels, ...own }, timeMs };
    const value = figure(metric, rank, timeMs, counted);
    const last = { ...sample, isPeak: false, value };
    if (!about.peak) return [last];
    const above =
      about.unit === 'bytes' && !FIXED.has(metric)
        ? (hash(rank, timeMs, metric.length) % 5000) * PAGE
        : 0;
    return [last, { ...sample, isPeak: true, value: value + above }];
  });
}

function figure(metric: MetricKey, rank: number, timeMs: number, counted: number): number {
  const about = ABOUT[metric];
  if (about !== undefined) {
    return FIXED.has(metric) ? about : about + (hash(rank, timeMs, metric.length) % 20_000) * PAGE;
  }
  if (metric === 'treeProcesses') return 9;
  if (metric === 'iterations' || metric === 'samples') return counted;
  if (metric === 'info') return 1;
  return metric === 'started' ? 1_700_000_000 : 0;
}

/** A number that looks like chance and is always the same (FNV). */
function hash(...numbers: number[]): number {
  let state = 0x811c9dc5;
  for (const number of numbers) {
    for (const part of [number % 2 ** 32, Math.floor(number / 2 ** 32)]) {
      state = Math.imul(state ^ part, 0x01000193) >>> 0;
      state = (state ^ (state >>> 15)) >>> 0;
    }
  }
  return state;
}

/** Sends samples by remote-write; how many bytes that took. */
export async function write(url: string, samples: readonly Sample[]): Promise<number> {
  const { body, headers } = remoteWrite1(samples);
  const response = await fetch(url, { method: 'POST', body: new Uint8Array(body), headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${text}`);
  return body.length;
}
