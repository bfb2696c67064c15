import { formatBytes } from '../base/bytes.ts';
import type { Device } from './allocations/index.ts';
import type { Leak } from './leak/index.ts';
import type { Headline } from './peaks.ts';

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
  const { device: id, peakRequestedBytes: bytes, peakSeconds } = device;
  const series = `${typeof id === 'number' ? `gpu${id}` : id}.requested`;
  const seconds = peakSeconds ?? Number.NaN;
  return { series, bytes, seconds, measure: 'allocator', estimated: false, processes: null };
}

/** Whether it leaks, by what the steps of a trace left alive; where no trace tells, as the samples have it. */
export function traceLeak({
  devices,
  leak,
}: {
  readonly devices: readonly Device[];
  readonly leak: Leak;
}): Leak {
  const traced = devices.filter(({ leak: { verdict } }) => verdict !== 'unknown');
  const grows = traced.find(({ leak: { verdict } }) => verdict === 'leak');
  const device = grows ?? traced[0];
  if (!device || leak.verdict !== 'inconclusive') return leak;
  const { verdict, steps, requestedPerStep, stacks } = device.leak;
  const rule = 'steps of the allocation trace';
  if (grows) {
    return {
      ...leak,
      verdict: 'leak',
      rule,
      because: `live memory grows by ${formatBytes(requestedPerStep!)} a step over ${steps} steps`,
      kind: 'tensors',
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
  }[verdict as 'cache' | 'warm-up' | 'none'];
  return { ...leak, verdict: verdict === 'warm-up' ? 'plateau' : 'bounded', rule, because };
}
