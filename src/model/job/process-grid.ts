import type { Table } from '../table.ts';

/** Rows of `process` at most: a job of a thousand ranks is drawn more coarsely than one of four. */
const MOST_ROWS = 4_000_000;
/** And for each row that was recorded: a clock that jumps by years makes no more rows than a steady one. */
const MOST_PER_ROW = 16;
const FEW_ROWS = 100_000;

/** One recorder's samples of its processes, shifted by `offset` to the job's clock. */
export interface Sampled {
  readonly table: Table;
  readonly offset: number;
}

/** A row of `process` of one recorder, at a moment that all of them share. */
export interface GridRow {
  readonly time: number;
  readonly part: number;
  readonly row: number;
}

/**
 * Recorders sample each at moments of its own; a job's total needs all of them at once. Of each step
 * the sample of a recorder that held most counts, so that no peak is lost; one without a sample keeps
 * its last, until it ends.
 */
export function* onOneGrid(parts: readonly Sampled[], stepNs: number): Generator<GridRow> {
  const sources = parts.map(samplesOf);
  const some = sources.filter(({ samples }) => samples.length > 0);
  if (some.length === 0) return;
  const first = Math.min(...some.map(({ samples }) => samples[0]!.time));
  const last = Math.max(...some.map(({ samples }) => samples.at(-1)!.time));
  const step = coarseEnough(some, last - first, stepNs);
  const ticks = Math.max(1, Math.ceil((last - first) / step));
  for (let tick = 1; tick <= ticks; tick++) {
    const until = tick === ticks ? last : first + tick * step;
    for (const [part, source] of sources.entries()) {
      const sample = source.upTo(until);
      if (!sample) continue;
      for (let row = sample.start; row < sample.end; row++) yield { time: until, part, row };
    }
  }
}

interface Sample {
  readonly time: number;
  readonly start: number;
  readonly end: number;
  readonly bytes: number;
}

function samplesOf({ table, offset }: Sampled) {
  const [times, pss, rss] = [table.f64('time'), table.f64('pss'), table.f64('rss')];
  const samples: Sample[] = [];
  for (let start = 0; start < table.rows; ) {
    let end = start;
    let bytes = 0;
    for (; end < table.rows && times[end] === times[start]; end++) {
      bytes += Number.isNaN(pss[end]!) ? rss[end]! || 0 : pss[end]!;
    }
    samples.push({ time: times[start]! + offset, start, end, bytes });
    start = end;
  }
  let next = 0;
  let held: Sample | null = null;
  return {
    samples,
    /** The largest since it was asked last; null before its first sample and after its last. */
    upTo(ns: number): Sample | null {
      if (next === samples.length) return null;
      let most: Sample | null = null;
      for (; next < samples.length && samples[next]!.time <= ns; next++) {
        held = samples[next]!;
        if (!most || held.bytes > most.bytes) most = held;
      }
      return most ?? held;
    },
  };
}

function coarseEnough(
  sources: readonly { readonly samples: readonly Sample[] }[],
  span: number,
  stepNs: number,
): number {
  const rowsOf = (samples: readonly Sample[]) => samples.at(-1)!.end;
  const recorded = sources.reduce((sum, { samples }) => sum + rowsOf(samples), 0);
  const perTick = sources.reduce((sum, { samples }) => sum + rowsOf(samples) / samples.length, 0);
  const most = Math.min(MOST_ROWS, Math.max(FEW_ROWS, MOST_PER_ROW * recorded));
  return Math.max(stepNs, (span * perTick) / most, 1);
}
