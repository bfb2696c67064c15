import { firstFrom } from '../base/search.ts';
import { SECOND_NS } from '../base/time.ts';
import type { Recording } from '../model/recording.ts';
import { series } from '../model/series.ts';
import type { Report } from './report.ts';

/** A run that goes on: how it stands, how it grows, and how far its newest figures are to be trusted. */
export interface Live {
  readonly type: 'live';
  /** Since the workload started. */
  readonly seconds: number;
  /** Of the series that the headline is of; null before there is one. */
  readonly now: { readonly series: string; readonly bytes: number } | null;
  readonly leak: Report['leak'];
  /** Of the last half minute; null before there are samples enough to tell. */
  readonly recent: RecentSampling | null;
}

export interface RecentSampling {
  readonly seconds: number;
  /** Deadlines that passed without a sample. */
  readonly missedShare: number;
  /** Of all processors' time, what the hypervisor gave to other guests; null where that is not told. */
  readonly stolenShare: number | null;
}

/** What came before may have been folded, and is not what one wants to know now. */
const RECENT_NS = 30 * SECOND_NS;
/** The host's figures are read no more often, whatever the rate. */
const MOST_HZ = 100;
const LEAST_SAMPLES = 50;

export function live(
  recording: Recording,
  { headline, leak, recording: { durationSeconds } }: Report,
): Live {
  const found = headline && (series(recording, headline.series) ?? series(recording, 'tree.rss'));
  return {
    type: 'live',
    seconds: durationSeconds,
    now: found ? { series: found.name, bytes: found.values.at(-1)! } : null,
    leak,
    recent: recentSampling(recording),
  };
}

/** By the host's samples, of which each tick has one; the recorder's own count is known at its end. */
function recentSampling({ run, table }: Recording): RecentSampling | null {
  const host = table('host');
  const times = host.f64('time');
  const last = times.at(-1);
  if (last === undefined || !(run.sampling.askedHz > 0)) return null;
  const first = firstFrom(times, last - RECENT_NS);
  const samples = times.length - first;
  if (samples < LEAST_SAMPLES) return null;
  const seconds = (last - times[first]!) / SECOND_NS;
  const due = Math.round(seconds * Math.min(MOST_HZ, run.sampling.askedHz)) + 1;
  return {
    seconds,
    missedShare: Math.max(0, 1 - samples / due),
    stolenShare: stolenShare(host.f64('stolen'), times, first, run.host.cpus),
  };
}

/** The figure is read now and then only. */
function stolenShare(
  stolen: Float64Array,
  times: Float64Array,
  first: number,
  cpus: number,
): number | null {
  const isRead = (value: number) => !Number.isNaN(value);
  const from = stolen.findIndex((value, row) => row >= first && isRead(value));
  const to = stolen.findLastIndex(isRead);
  if (from < 0 || to <= from) return null;
  const all = (times[to]! - times[from]!) * Math.max(1, cpus);
  return Math.min(1, Math.max(0, (stolen[to]! - stolen[from]!) / all));
}
