import { highestIndex, lastUpTo } from '../base/search.ts';
import type { NumberOrNaN } from '../base/stats.ts';
import { SECOND_NS } from '../base/time.ts';
import { agentMemorySum } from '../model/agent-memory.ts';
import { origin } from '../model/origin.ts';
import type { Recording } from '../model/recording.ts';
import { type Series, series, seriesNames } from '../model/series.ts';

/** The largest value of a series, at the moment it was first reached. */
export interface Peak {
  readonly series: string;
  readonly bytes: number;
  readonly seconds: number;
}

/** The one figure to remember, and how far it can be trusted. */
export interface Headline extends Peak {
  /** null in JSON: the trace has no times. */
  readonly seconds: NumberOrNaN;
  /**
   * `kernel`: the control group's own exact peak; `proportional`: PSS at samples; `upper-bound`:
   * summed RSS, which counts shared pages once for each process; `machine`: everything in use on
   * the host, the workload or not; `card`: all of a GPU, where nothing else was measured; `allocator`: what was asked of a device's allocator, by its trace.
   */
  readonly measure: 'kernel' | 'proportional' | 'upper-bound' | 'machine' | 'card' | 'allocator';
  /** PSS at that moment was carried over by the PSS/RSS ratio, not measured. */
  readonly estimated: boolean;
  /** Processes of the tree at that moment; null where none were watched. */
  readonly processes: number | null;
}

export interface Peaks {
  readonly type: 'peaks';
  readonly peaks: readonly Peak[];
  readonly headline: Headline | null;
  /** Samples of the tree's series or, for a bare host, of the host's. */
  readonly samples: number;
}

export function peaks(recording: Recording): Peaks {
  const zero = origin(recording).ns;
  const all = seriesNames(recording).map((name) => series(recording, name)!);
  const sampled = all.flatMap((s) => peakOf(s, zero) ?? []).map(withKernelPeak(recording, zero));
  const found = [...sampled, ...torchPeaks(recording, zero)];
  const tree = all.find((s) => s.name === 'tree.rss') ?? all[0];
  return {
    type: 'peaks',
    peaks: found,
    headline: headline(recording, found, zero),
    samples: tree?.values.length ?? 0,
  };
}

/** null where nothing was ever measured. */
function peakOf(s: Series, zero: number): Peak | null {
  const row = highestIndex(s.values);
  if (row < 0) return null;
  return { series: s.name, bytes: s.values[row]!, seconds: (s.times[row]! - zero) / SECOND_NS };
}

/** Of device memory the kernel may keep an exact peak, as it does of host memory; of a shared group it is older than this run. */
function withKernelPeak(recording: Recording, zero: number): (sampled: Peak) => Peak {
  const table = recording.table('device_group');
  if (table.rows === 0 || !recording.run.cgroup?.own) return (sampled) => sampled;
  const [of, times, marks] = [table.u32('region'), table.f64('time'), table.f64('peak')];
  return (sampled) => {
    const told = marks.map((mark, row) =>
      sampled.series === `dmem.${recording.text(of[row]!)}` ? mark : Number.NaN,
    );
    const exact = peakOf({ name: sampled.series, times, values: told }, zero);
    return exact && exact.bytes > sampled.bytes ? exact : sampled;
  };
}

/** `torch0.peak`: the most that torch handed out in one process, by the counter that it keeps itself; no sample can miss it. */
function torchPeaks(recording: Recording, zero: number): Peak[] {
  const table = recording.table('counters');
  const [names, times, values] = [table.u32('name'), table.f64('time'), table.f64('value')];
  const ids = [...new Set(names)].filter((id) => /^torch\d+\.peak$/.test(recording.text(id)));
  return ids
    .flatMap((id) => {
      const told = values.map((value, row) => (names[row] === id ? value : Number.NaN));
      return peakOf({ name: recording.text(id), times, values: told }, zero) ?? [];
    })
    .sort((a, b) => a.series.localeCompare(b.series, 'en', { numeric: true }));
}

/** A shared control group's peak includes other processes: only the workload's own one counts. */
function headline(recording: Recording, found: readonly Peak[], zero: number): Headline | null {
  const peakNamed = (name: string) => found.find((peak) => peak.series === name);
  const pss = peakNamed('tree.pss');
  const kernel = recording.run.cgroup?.own ? kernelPeak(recording, zero) : null;
  const comparable = kernel && cacheAtMost(recording) <= kernel.bytes * CACHE_SHARE;
  // The kernel's figure misses files that others had loaded before, and knows spikes between our
  // samples: where it is the larger one, it is the better one.
  if (comparable && kernel.bytes > (pss?.bytes ?? 0)) {
    const at = processesAt(recording, zero + kernel.seconds * SECOND_NS);
    return { ...kernel, measure: 'kernel', estimated: false, processes: at?.count ?? null };
  }
  if (pss && pss.bytes > 0) {
    const at = processesAt(recording, zero + pss.seconds * SECOND_NS);
    const estimated = at?.estimated ?? false;
    return { ...pss, measure: 'proportional', estimated, processes: at?.count ?? null };
  }
  const rss = peakNamed('tree.rss');
  if (rss) {
    const at = processesAt(recording, zero + rss.seconds * SECOND_NS);
    return { ...rss, measure: 'upper-bound', estimated: false, processes: at?.count ?? null };
  }
  const used = peakNamed('host.used') ?? peakNamed('host.held');
  const cards = found.filter(({ series }) => /^gpu\d+\.used$/.test(series));
  const [card] = cards.sort((a, b) => b.bytes - a.bytes);
  const whole = used ?? card;
  if (!whole) return null;
  return { ...whole, measure: used ? 'machine' : 'card', estimated: false, processes: null };
}

/**
 * A control group is charged for the files it read as well, memory that the kernel takes back when
 * it is needed. Where that is more than this share, the exact peak does not answer the question.
 */
const CACHE_SHARE = 0.05;

function cacheAtMost(recording: Recording): number {
  const file = recording.table('cgroup').f64('file');
  return file.reduce((most, bytes) => Math.max(most, bytes || 0), 0);
}

/** The kernel keeps this figure between our samples, so it also knows spikes that we missed. */
function kernelPeak(recording: Recording, zero: number): Peak | null {
  const cgroup = recording.table('cgroup');
  const marks = cgroup.f64('peak');
  const row = highestIndex(marks);
  if (row < 0) return null;
  const ns = cgroup.f64('time')[row]!;
  const bytes = marks[row]! - agentMemorySum(recording)(ns);
  return { series: 'cgroup.current', bytes, seconds: (ns - zero) / SECOND_NS };
}

/** How many processes the last sample up to that moment saw; times that went through seconds are rounded. */
function processesAt(
  recording: Recording,
  ns: number,
): { count: number; estimated: boolean } | null {
  const table = recording.table('process');
  const times = table.f64('time');
  const estimated = table.u8('pss_estimated');
  let end = lastUpTo(times, ns + 500) + 1;
  if (end === 0) return null;
  const time = times[end - 1]!;
  const found = { count: 0, estimated: false };
  for (; end > 0 && times[end - 1] === time; end--) {
    found.count++;
    if (estimated[end - 1]! > 0) found.estimated = true;
  }
  return found;
}
