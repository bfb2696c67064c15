import { formatBytes } from '../base/bytes.ts';
import type { Device } from './allocations/index.ts';
import type { LeakBound } from './leak/bound.ts';
import type { Leak } from './leak/index.ts';
import type { Headline, Peaks } from './peaks.ts';

/** Where memory ran out comes first, then GPUs before the host, then the highest peak. */
export function firstDevice(devices: readonly Device[]): Device | null {
  const rank = ({ oom, device, peakRequestedBytes }: Device) =>
    peakRequestedBytes + (oom ? 2 ** 52 : 0) + (typeof device === 'number' ? 2 ** 51 : 0);
  return [...devices].sort((a, b) => rank(b) - rank(a))[0] ?? null;
}

/** The peak of a report on an allocation trace, where nothing was sampled beside it. */
export function traceHeadline(devices: readonly Device[]): Headline | null {
  const device = firstDevice(devices);
  if (!device) return null;
  const { peakRequestedBytes: bytes, peakSeconds } = device;
  const seconds = peakSeconds ?? Number.NaN;
  return {
    series: seriesOf(device),
    bytes,
    seconds,
    measure: 'allocator',
    estimated: false,
    processes: null,
  };
}

/**
 * Whether it leaks, by what the steps of a trace left alive; where no trace tells, as the samples have it. Beside samples of the host a
 * trace speaks only of what it knows to grow: memory of a device is none of the host's.
 */
export function traceLeak({
  devices,
  leak,
  peaks,
}: {
  readonly devices: readonly Device[];
  readonly leak: Leak;
  readonly peaks: Pick<Peaks, 'samples'>;
}): Leak {
  const traced = devices.filter(({ leak: { boundPerStep } }) => boundPerStep !== null);
  const grows = traced.find(({ leak: { verdict } }) => verdict === 'leak');
  const device = grows ?? traced[0];
  if (!device || leak.verdict === 'leak') return leak;
  if (!grows && (peaks.samples > 0 || leak.verdict !== 'inconclusive')) return leak;
  const { verdict, steps, requestedPerStep, stacks } = device.leak;
  const rule = 'steps of the allocation trace';
  const series = seriesOf(device);
  const bound = traceBound(series, device.leak);
  if (grows) {
    return {
      ...leak,
      verdict: 'leak',
      rule,
      because: `live memory grows by ${formatBytes(requestedPerStep!)} a step over ${steps} steps`,
      bound,
      kind: 'tensors',
      culprit: {
        kind: 'tensors',
        ...{ series, measure: 'device', role: null, members: null, other: null, process: null },
        name: stacks[0] ? `allocations of ${stacks[0].where}` : null,
        where: stacks[0]?.where ?? null,
      },
      evidence: stacks.map(({ bytesPerStep, allocations, where }) => ({
        name: 'allocations',
        unit: 'bytes',
        amount: bytesPerStep,
        per: 'step',
        count: allocations,
        madeBy: where,
        holder: null,
      })),
    };
  }
  const because = {
    cache: "live memory stays the same, only the allocator's cache grows",
    'warm-up': 'live memory grew in the first steps only',
    none: `live memory is the same at the start of each of ${steps} steps`,
    unknown: `live memory grew, and ${steps} steps do not tell whether that is over`,
  }[verdict as 'cache' | 'warm-up' | 'none' | 'unknown'];
  if (verdict === 'unknown') return { ...leak, rule, because, bound };
  return { ...leak, verdict: verdict === 'warm-up' ? 'plateau' : 'bounded', rule, because, bound };
}

const seriesOf = ({ device }: Device) =>
  `${typeof device === 'number' ? `gpu${device}` : device}.requested`;

/** Steps of a trace stray for reasons, not by chance: what it did not grow by is known, and 95 % is the least that can be said. */
const CONFIDENCE = 0.95;
const LONGER = 4;

function traceBound(series: string, { boundPerStep, steps }: Device['leak']): LeakBound | null {
  if (boundPerStep === null) return null;
  return {
    bytesPerIteration: boundPerStep,
    confidence: CONFIDENCE,
    series,
    growthBytes: boundPerStep * steps,
    floorBytes: 0,
    longer: { times: LONGER, bytesPerIteration: boundPerStep / LONGER },
  };
}
