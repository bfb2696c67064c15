import { join } from 'node:path';
import { installPeers, type Peer, titleOf } from './peers.ts';
import {
  type CpuReadings,
  processes,
  recordCommand,
  samplingOf,
  steadyShare,
  watchCpu,
  wholeShare,
} from './recorders.ts';
import { absent, type Benchmark, percent, type Row, ratioAtMost } from './result.ts';
import { withFolder } from './scratch.ts';

const COUNT = 20;
const RATE_HZ = 100;
/** The first part of the same run, where starting up and compiling weigh most. */
const SHORT_SECONDS = 30;
/** V8 has compiled what it will by then. */
const WARM_UP_SECONDS = 20;
const LIMIT = 0.2;
/** A peer that delivers less than this of what was asked is not compared by its share of a core. */
const COMPARABLE = 0.5;

export const samplingCpu: Benchmark = {
  name: 'sampling-cpu',
  title: `CPU of the recorder alone, ${COUNT} processes at ${RATE_HZ} Hz, one recorder after the other`,
  minutes: 17,
  async run({ quick }) {
    const seconds = quick ? 24 : 120;
    const peers = installPeers();
    const rows: Row[] = [];
    for (const kind of ['idle', 'busy'] as const) {
      const workload = processes(COUNT, seconds, kind);
      const own = await withFolder((folder) => measureOwn(folder, workload, seconds));
      rows.push(describe(kind, 'highwater', own));
      for (const peer of peers) {
        if (peer.version === null) {
          rows.push(absent(`${kind}: whole run`, peer.name));
          continue;
        }
        const other = await withFolder((folder) => measurePeer(folder, peer, workload, seconds));
        rows.push(describe(kind, titleOf(peer), other));
        rows.push(...compare(kind, titleOf(peer), own, other));
      }
    }
    return rows;
  },
};

interface Cost {
  readonly whole: number;
  readonly short: number;
  readonly steady: number;
  readonly samplesPerSecond: number;
  readonly cpuPerSample: number;
}

async function measureOwn(
  folder: string,
  workload: readonly string[],
  seconds: number,
): Promise<Cost> {
  const recording = join(folder, 'run.hw');
  const command = recordCommand(recording, RATE_HZ, workload);
  const readings = await watchCpu(command, join(folder, 'cpu.json'));
  return cost(readings, samplingOf(recording).ticks, seconds);
}

async function measurePeer(
  folder: string,
  peer: Peer,
  workload: readonly string[],
  seconds: number,
): Promise<Cost> {
  const out = join(folder, 'samples.txt');
  const command = peer.command(out, 1 / RATE_HZ, workload);
  const readings = await watchCpu(command, join(folder, 'cpu.json'));
  return cost(readings, peer.samples(out), seconds);
}

function cost(readings: CpuReadings, samples: number, seconds: number): Cost {
  return {
    whole: wholeShare(readings),
    short: wholeShare(readings.filter(([at]) => at <= SHORT_SECONDS)),
    steady: steadyShare(readings, WARM_UP_SECONDS),
    samplesPerSecond: samples / seconds,
    cpuPerSample: readings.at(-1)![1] / samples,
  };
}

function describe(kind: string, recorder: string, cost: Cost): Row {
  const figure =
    `${percent(cost.whole)} of a core (first ${SHORT_SECONDS} s ${percent(cost.short)}, ` +
    `after ${WARM_UP_SECONDS} s ${percent(cost.steady)}), ${cost.samplesPerSecond.toFixed(1)} samples/s`;
  return { what: `${kind}: ${recorder}`, figure };
}

/**
 * Judged: the share of a core over the run, start and end included, which is what a user pays; and
 * the price of a sample. A peer that delivers less than half of the samples that were asked for
 * pays for less than half of the work: there only the price of a sample is judged, and the share is
 * printed. The other two readings of the share are printed, too.
 */
function compare(kind: 'idle' | 'busy', peer: string, own: Cost, other: Cost): Row[] {
  const delivered = ({ whole, samplesPerSecond }: Cost) =>
    `${percent(whole)}, ${samplesPerSecond.toFixed(0)} samples/s`;
  const micros = (seconds: number) => `${(seconds * 1e6).toFixed(0)} µs`;
  const row = (what: string, key: keyof Cost, show: (value: number) => string, judged: boolean) => {
    const ratio = own[key] / other[key];
    const name = `${kind}: ${what}`;
    const figure = show(own[key]);
    const judgement = judged ? ratioAtMost(name, peer, figure, ratio, LIMIT) : {};
    return { what: name, figure, peer, theirs: show(other[key]), ratio, ...judgement };
  };
  const comparable = other.samplesPerSecond >= COMPARABLE * RATE_HZ;
  return [
    {
      ...row('whole run', 'whole', percent, comparable),
      figure: delivered(own),
      theirs: delivered(other),
    },
    row('a sample', 'cpuPerSample', micros, true),
    row(`first ${SHORT_SECONDS} s`, 'short', percent, false),
    row(`after ${WARM_UP_SECONDS} s`, 'steady', percent, false),
  ];
}
