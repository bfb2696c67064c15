import { join } from 'node:path';
import { installPeers, type Peer } from './peers.ts';
import {
  type CpuReadings,
  processes,
  recordCommand,
  samplingOf,
  steadyShare,
  watchCpu,
  wholeShare,
} from './recorders.ts';
import { type Benchmark, percent, type Row, ratioAtMost } from './result.ts';
import { withFolder } from './scratch.ts';

const COUNT = 20;
const RATE_HZ = 100;
/** Start-up that the steady figure leaves out. */
const WARM_UP_SECONDS = 3;
const LIMIT = 0.2;

export const samplingCpu: Benchmark = {
  name: 'sampling-cpu',
  title: `CPU of the recorder alone, ${COUNT} processes at ${RATE_HZ} Hz, one recorder after the other`,
  async run({ quick }) {
    const seconds = quick ? 6 : 30;
    const peers = installPeers();
    const rows: Row[] = [];
    for (const kind of ['idle', 'busy'] as const) {
      const workload = processes(COUNT, seconds, kind);
      const own = await withFolder((folder) => measureOwn(folder, workload, seconds));
      rows.push(describe(kind, 'highwater', own));
      for (const peer of peers) {
        if (peer.version === null) {
          rows.push({ what: kind, peer: peer.name, figure: 'absent: not compared' });
          continue;
        }
        const other = await withFolder((folder) => measurePeer(folder, peer, workload, seconds));
        rows.push(describe(kind, `${peer.name} ${peer.version}`, other));
        rows.push(...compare(kind, peer.name, own, other));
      }
    }
    return rows;
  },
};

interface Cost {
  readonly whole: number;
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
    steady: steadyShare(readings, WARM_UP_SECONDS),
    samplesPerSecond: samples / seconds,
    cpuPerSample: readings.at(-1)![1] / samples,
  };
}

function describe(kind: string, recorder: string, cost: Cost): Row {
  const figure =
    `${percent(cost.whole)} of a core (steady ${percent(cost.steady)}), ` +
    `${cost.samplesPerSecond.toFixed(1)} samples/s`;
  return { what: kind, peer: recorder, figure };
}

/**
 * Both the share of a core and the price of one sample are judged: peers do not reach the rate they
 * were asked for, on a busy machine by far, so that their share alone would flatter them.
 */
function compare(kind: 'idle' | 'busy', peer: string, own: Cost, other: Cost): Row[] {
  const micros = (seconds: number) => `${(seconds * 1e6).toFixed(0)} µs`;
  const ratio = (key: keyof Cost) => own[key] / other[key];
  const sample = ratioAtMost(
    `${kind}: a sample`,
    peer,
    `${micros(own.cpuPerSample)} to ${micros(other.cpuPerSample)}`,
    ratio('cpuPerSample'),
    LIMIT,
  );
  const shares = (['whole', 'steady'] as const).map((key) =>
    ratioAtMost(
      `${kind}: ${key === 'whole' ? 'whole run' : 'steady state'}`,
      peer,
      `${percent(own[key])} to ${percent(other[key])}`,
      ratio(key),
      LIMIT,
    ),
  );
  return [...shares, sample];
}
