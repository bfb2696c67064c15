import { SECOND_NS } from '../../base/time.ts';
import { type LayerHistory, layerHistories, sumsBy } from '../../model/layers/history.ts';
import { ACCOUNTING_BANDS, type AccountingBand, bandOf, isLive } from '../../model/layers/kinds.ts';
import { type Origin, origin } from '../../model/origin.ts';
import type { Recording } from '../../model/recording.ts';
import { series } from '../../model/series.ts';

/** Memory of a process, measured from outside. */
interface MeasuredMemory {
  /** `rss`: of the process; `gpu`: what it holds on GPUs. */
  readonly measure: 'rss' | 'gpu';
  /** The highest sample of each iteration; NaN where there is none. */
  readonly bytes: Float64Array;
}

interface Samples {
  readonly times: readonly number[];
  readonly values: readonly number[];
}

/** The memory of one process over its iterations: measured = Σ bands + residue. */
export interface ProcessAccounting {
  readonly pid: number;
  readonly rank: number | null;
  readonly measure: MeasuredMemory['measure'];
  /** Whether the parts are those of one moment; else each at its own highest, together too much. */
  readonly oneMoment: boolean;
  readonly seconds: Float64Array;
  /** What `seconds` counts from. */
  readonly origin: Origin['is'];
  readonly bands: readonly { readonly band: AccountingBand; readonly bytes: Float64Array }[];
  /** NaN where nothing was measured. */
  readonly measured: Float64Array;
  /** What no part explains; negative where they add up to more than was measured. */
  readonly residue: Float64Array;
}

export interface LayerAccounting {
  readonly type: 'accounting';
  readonly processes: readonly ProcessAccounting[];
}

/** What the memory of each profiled process is made of, over time. */
export function layerAccounting(recording: Recording): LayerAccounting {
  return {
    type: 'accounting',
    processes: layerHistories(recording).map((history) => processAccounting(recording, history)),
  };
}

export function processAccounting(recording: Recording, history: LayerHistory): ProcessAccounting {
  const zero = origin(recording);
  const { pid, rank, iterations, parts } = history;
  const oneMoment = parts.some(({ kind }) => kind === 'at_peak');
  const sums = sumsBy(history, ({ kind, name }) => {
    if (kind === 'cached' || kind === 'context') {
      const atPeak = parts.some((part) => part.kind === 'at_peak' && part.name === kind);
      return atPeak ? null : kind;
    }
    if (oneMoment) return kind === 'at_peak' ? bandOf(name) : null;
    return isLive(kind) ? bandOf(kind) : null;
  });
  const bands = ACCOUNTING_BANDS.flatMap((band) => {
    const bytes = sums.get(band);
    return bytes?.some((value) => value > 0) ? [{ band, bytes }] : [];
  });
  const { measure, bytes } = measured(recording, history);
  const residue = bytes.map((value, i) =>
    bands.reduce((rest, band) => rest - band.bytes[i]!, value),
  );
  return {
    pid,
    rank,
    measure,
    oneMoment,
    seconds: Float64Array.from(iterations, ({ ns }) => (ns - zero.ns) / SECOND_NS),
    origin: zero.is,
    bands,
    measured: bytes,
    residue,
  };
}

/** What was measured from outside of a process whose model was profiled. */
function measured(recording: Recording, history: LayerHistory): MeasuredMemory {
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
function highest({ times, values }: Samples, { iterations }: LayerHistory): Float64Array {
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
