import { max, min } from 'd3-array';
import { traces } from '../../model/allocations/trace.ts';
import { origin } from '../../model/origin.ts';
import type { Recording } from '../../model/recording.ts';
import { peaks } from '../peaks.ts';
import { timelineMarks } from '../timeline.ts';
import { kvPoolSource } from './kv-pool.ts';
import type { Clock, Panels, PanelWindow } from './panel.ts';
import { spanOf } from './panel-curve.ts';
import { peakIn } from './peak.ts';
import { processorSource } from './processors.ts';
import { seriesSources } from './series.ts';
import { type PanelSource, panelOf } from './source.ts';
import { traceSource } from './trace.ts';
import { treeSource } from './tree.ts';

/** Most marks that a page can show at once; epochs go before iterations. */
const MOST_MARKS = 4000;

const known = new WeakMap<Recording, Map<Clock, PanelSource[]>>();

/** The window that is asked for; what is left out is the whole. */
export type PanelsQuery = Partial<PanelWindow>;

/**
 * Everything over time that a recording and the allocation traces beside it tell, thinned so that no
 * peak is lost.
 */
export function panels(
  recording: Recording,
  snapshots: readonly Recording[],
  query: PanelsQuery = {},
): Panels {
  const zero = origin(recording);
  const clocks = clocksOf(recording, snapshots);
  const clock = query.clock && clocks.includes(query.clock) ? query.clock : clocks[0]!;
  const sources = sourcesOf(recording, snapshots, clock, zero.ns);
  const span = spanOfAll(sources);
  const { low = span[0], high = span[1], columns = 1000 } = query;
  const window: PanelWindow = { clock, low, high, columns };
  const marks = clock === 'event' ? [] : timelineMarks(recording, zero.ns);
  const timed = clock === 'event' ? null : { recording, zero: zero.ns };
  const all = allTraces(recording, snapshots).map(({ of, trace }) => ({
    trace,
    zero: zero.ns - laterBy(of, recording),
  }));
  return {
    type: 'panels',
    clock,
    clocks,
    origin: zero.is,
    span,
    panels: sources.map((source) => panelOf(source, window, peakIn(source, marks, all, timed))),
    marks: inside(marks, window),
  };
}

/** In the order in which pages number them. */
const allTraces = (recording: Recording, snapshots: readonly Recording[]) =>
  [recording, ...snapshots].flatMap((of) => traces(of).map((trace) => ({ of, trace })));

/** Time first, where there are any; the numbers of events where there is a trace. */
function clocksOf(recording: Recording, snapshots: readonly Recording[]): Clock[] {
  const zero = origin(recording).ns;
  const timed = sourcesOf(recording, snapshots, 'time', zero).length > 0;
  const traced = [recording, ...snapshots].some((one) =>
    traces(one).some(({ events }) => events > 0),
  );
  const clocks: Clock[] = [
    ...(timed ? ['time' as const] : []),
    ...(traced ? ['event' as const] : []),
  ];
  return clocks.length > 0 ? clocks : ['time'];
}

export function sourcesOf(
  recording: Recording,
  snapshots: readonly Recording[],
  clock: Clock,
  zero: number,
): PanelSource[] {
  const byClock = known.get(recording) ?? new Map<Clock, PanelSource[]>();
  known.set(recording, byClock);
  let found = byClock.get(clock);
  if (!found) {
    found = [
      ...allTraces(recording, snapshots).flatMap(({ of, trace }, index) => {
        const own = zero - laterBy(of, recording);
        return traceSource({ run: recording, recording: of, trace, index }, clock, own) ?? [];
      }),
      ...(clock === 'time' ? sampled(recording, zero) : []),
    ];
    byClock.set(clock, found);
  }
  return found;
}

/** How much later than the recording a snapshot's own clock starts, in ns. */
export function laterBy(snapshot: Recording, recording: Recording): number {
  if (snapshot === recording) return 0;
  const later = Date.parse(snapshot.run.startedAt) - Date.parse(recording.run.startedAt);
  return Number.isFinite(later) ? later * 1e6 : 0;
}

/** Memory, and below it how full an engine's pool was, and the processors' share. */
function sampled(recording: Recording, zero: number): PanelSource[] {
  const memory = memorySources(recording, zero);
  if (memory.length === 0) return [];
  const below = [kvPoolSource(recording, zero), processorSource(recording, zero)];
  return [...memory, ...below.filter((source) => source !== null)];
}

/** The tree's processes take the place of lines that add up to the same. */
function memorySources(recording: Recording, zero: number): PanelSource[] {
  const lines = seriesSources(recording, zero);
  const tree = treeSource(recording, zero);
  if (!tree) return lines;
  const stacked = tree.title.includes('PSS') ? 'tree.pss' : 'tree.rss';
  const told = kernelPeak(recording);
  return lines.map((panel) =>
    panel.id === 'tree'
      ? {
          ...tree,
          lines: panel.lines.filter(({ series }) => series !== stacked),
          ...(told && { told }),
        }
      : panel,
  );
}

/** Where a report goes by the kernel's figure, which knows spikes between samples, the picture does too. */
function kernelPeak(recording: Recording): PanelSource['told'] | null {
  const { headline } = peaks(recording);
  if (headline?.measure !== 'kernel') return null;
  return { x: headline.seconds, value: headline.bytes, by: 'kernel', moment: null };
}

function spanOfAll(sources: readonly PanelSource[]): [number, number] {
  const spans = sources
    .flatMap(({ lines, stack }) => [
      ...lines.map(({ curve }) => curve),
      ...(stack ? [stack.total] : []),
    ])
    .flatMap((curve) => [spanOf(curve) ?? []].filter((span) => span.length > 0));
  const low = min(spans, ([from]) => from) ?? 0;
  const high = max(spans, ([, to]) => to) ?? 1;
  return high > low ? [low, high] : [low, low + 1];
}

function inside(all: Panels['marks'], { low, high }: PanelWindow): Panels['marks'] {
  const near = all.filter(({ seconds }) => seconds >= low && seconds <= high);
  if (near.length <= MOST_MARKS) return near;
  const rare = near.filter(({ kind }) => kind !== 'iteration');
  const often = near.filter(({ kind }) => kind === 'iteration');
  const step = Math.ceil(often.length / MOST_MARKS);
  const kept = [...rare.slice(0, MOST_MARKS), ...often.filter((_, i) => i % step === 0)];
  return kept.sort((a, b) => a.seconds - b.seconds);
}
