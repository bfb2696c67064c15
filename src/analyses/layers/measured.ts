import type { History } from '../../model/layers/history.ts';
import type { Recording } from '../../model/recording.ts';
import { series } from '../../model/series.ts';

export interface Measured {
  /** `rss`: of the process; `gpu`: what it holds on GPUs. */
  readonly measure: 'rss' | 'gpu';
  /** The highest sample of each iteration; NaN where there is none. */
  readonly bytes: Float64Array;
}

interface Samples {
  readonly times: readonly number[];
  readonly values: readonly number[];
}

/** What was measured from outside of a process that told of its model. */
export function measured(recording: Recording, history: History): Measured {
  const device = history.parts.find(({ kind, name }) => kind === 'device' && isGpu(name));
  const measure = device ? 'gpu' : 'rss';
  const samples = device
    ? gpuSamples(recording, history.pid, device.name)
    : processSamples(recording, history.pid);
  return { measure, bytes: highest(samples, history) };
}

const isGpu = (device: string) => /^(cuda|gpu|webgpu|webgl|hip)/.test(device);

function processSamples(recording: Recording, pid: number): Samples {
  const table = recording.table('process');
  const [times, pids, rss] = [table.f64('time'), table.u32('pid'), table.f64('rss')];
  return collect(times, (row) => (pids[row] === pid ? rss[row]! : Number.NaN));
}

/** On all cards together. Where the driver names no process of ours, the card's share of the tree. */
function gpuSamples(recording: Recording, pid: number, device: string): Samples {
  const table = recording.table('gpu_process');
  const [times, pids, used] = [table.f64('time'), table.u32('pid'), table.f64('used')];
  const own = collect(times, (row) => (pids[row] === pid ? used[row]! : Number.NaN));
  if (own.times.length > 0) return own;
  const card = /\d+$/.exec(device)?.[0] ?? '0';
  const tree = series(recording, `gpu${card}.tree`);
  return { times: [...(tree?.times ?? [])], values: [...(tree?.values ?? [])] };
}

/** Rows of one time are added up: one process, several cards. */
function collect(times: Float64Array, sampleOf: (row: number) => number): Samples {
  const samples = { times: [] as number[], values: [] as number[] };
  for (let row = 0; row < times.length; row++) {
    const value = sampleOf(row);
    if (Number.isNaN(value)) continue;
    if (samples.times.at(-1) === times[row]) samples.values[samples.values.length - 1]! += value;
    else {
      samples.times.push(times[row]!);
      samples.values.push(value);
    }
  }
  return samples;
}

/** Within each iteration, and from the last sample before it where it is shorter than the sampling. */
function highest({ times, values }: Samples, { iterations }: History): Float64Array {
  const found = new Float64Array(iterations.length).fill(Number.NaN);
  let next = 0;
  for (const [i, { ns }] of iterations.entries()) {
    const began = i > 0 ? iterations[i - 1]!.ns : ns;
    while (next < times.length && times[next]! <= began) next++;
    let most = values[next - 1] ?? Number.NaN;
    for (let at = next; at < times.length && times[at]! <= ns; at++) {
      if (!(most >= values[at]!)) most = values[at]!;
    }
    found[i] = Number.isNaN(most) ? (values[next] ?? Number.NaN) : most;
  }
  return found;
}
