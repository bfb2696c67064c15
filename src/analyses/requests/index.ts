import { SECOND_NS } from '../../base/time.ts';
import { origin } from '../../model/origin.ts';
import type { Recording } from '../../model/recording.ts';
import { type LoggedRequests, loggedRequests } from './logged.ts';
import { type PassShape, type ProcessPasses, passesByProcess, trainingPids } from './shapes.ts';

/** What a program did that serves or evaluates: no optimizer runs in it. */
export interface Requests {
  readonly type: 'requests';
  /** What is counted: requests that its log names, else calls of `generate`, else forward passes, else replays of CUDA graphs. */
  readonly unit: 'request' | 'generate' | 'forward' | 'replay';
  readonly count: number;
  /** From the first to the last; null: too few. */
  readonly perSecond: number | null;
  /** Of growth that was shown, or of the most that may go unseen; null: not known. */
  readonly growth: RequestGrowth | null;
  /** The pass that brought torch's allocator higher than any other; null: no card, or no pass did. */
  readonly peak: RequestPeak | null;
  /** Those with the highest peak first, then those that took longest in all. */
  readonly shapes: readonly RequestShape[];
  /** Of how many shapes. */
  readonly shapeCount: number;
  /** Those that were seen. */
  readonly forwardPasses: number;
  /** Share of the time in which forward passes were seen, from 0 to 1: the agent rests where they are so short that a look at each would cost. null: not known, or none were seen. */
  readonly watched: number | null;
  /** How many forward passes that makes in all the time; null: not known. */
  readonly forwardEstimate: number | null;
  readonly generateCalls: number;
  /** Replays of CUDA graphs: no module runs in them, and nobody sees what they are given. */
  readonly graphReplays: number;
  /** Tokens that went through forward passes whose inputs tell; null: none did. */
  readonly tokens: number | null;
}

export interface RequestGrowth {
  /** Bytes for each thousand of the unit. */
  readonly bytesPerThousand: number;
  /** false: no growth was shown, and this is the most that there can be. */
  readonly shown: boolean;
  readonly series: string;
}

export interface RequestPeak {
  readonly bytes: number;
  readonly addedBytes: number;
  readonly what: 'forward' | 'generate';
  readonly module: string;
  readonly shape: string;
  /** When the agent told of it, at most a few seconds later. */
  readonly seconds: number;
}

export type RequestShape = Omit<PassShape, 'peakNs'> & { readonly pid: number };

/** What of the leak verdict is needed: how fast a series grows, or at most may. */
interface LeakAnswer {
  readonly verdict: string;
  readonly trend: {
    readonly verdict: string;
    readonly perHourBytes: number | null;
    readonly series: string;
  } | null;
  readonly bound: { readonly bytesPerHour?: number; readonly series: string } | null;
}

const MOST_SHAPES = 12;
/** A rate of fewer would be a matter of luck. */
const LEAST_FOR_RATE = 10;

/** null: nothing of this kind was seen, or the program trains. */
export function requests(recording: Recording, leak: LeakAnswer): Requests | null {
  const processes = passesByProcess(recording);
  // A training may print lines of a server too; beside an engine of its own they are about that one.
  const mayLog = processes.length > 0 || trainingPids(recording).size === 0;
  const counted = countedBy(mayLog ? loggedRequests(recording) : null, processes);
  if (!counted) return null;
  const { unit, count, fromNs, toNs, overSeconds } = counted;
  const shapes = processes
    .flatMap(({ pid, shapes }) => shapes.map((shape) => ({ pid, ...shape })))
    .sort(byPeak);
  const seconds = overSeconds ?? (toNs - fromNs) / SECOND_NS;
  const perSecond = count >= LEAST_FOR_RATE && seconds > 0 ? count / seconds : null;
  const sum = (what: PassShape['what']) =>
    shapes.reduce((all, one) => all + (one.what === what ? one.passes : 0), 0);
  const tokens = shapes.reduce(
    (all, one) => all + (one.what === 'forward' ? (one.tokens ?? 0) : 0),
    0,
  );
  return {
    type: 'requests',
    unit,
    count,
    perSecond,
    growth: perSecond === null ? null : growthOf(leak, perSecond),
    peak: peakOf(shapes[0] ?? null, origin(recording).ns),
    shapes: shapes.slice(0, MOST_SHAPES).map(({ peakNs: _, ...shape }) => shape),
    shapeCount: shapes.length,
    forwardPasses: sum('forward'),
    generateCalls: sum('generate'),
    ...watchedOf(processes),
    graphReplays: processes.reduce((all, { replays }) => all + replays, 0),
    tokens: tokens > 0 ? tokens : null,
  };
}

/** `overSeconds`: in how long that many ran, where it is not from the first to the last. */
type Counted = LoggedRequests & Pick<Requests, 'unit'> & { readonly overSeconds: number | null };

function countedBy(
  logged: LoggedRequests | null,
  processes: readonly ProcessPasses[],
): Counted | null {
  if (logged) return { unit: 'request', ...logged, overSeconds: null };
  if (processes.length === 0) return null;
  const span = {
    fromNs: Math.min(...processes.map(({ fromNs }) => fromNs)),
    toNs: Math.max(...processes.map(({ toNs }) => toNs)),
  };
  for (const unit of ['generate', 'forward'] as const) {
    const most = longestModule(processes, unit);
    if (!most) continue;
    const { watch } = most.process;
    const seen = most.process.shapes.reduce(
      (all, one) => all + (one.what === unit ? one.passes : 0),
      0,
    );
    const more = unit === 'forward' && watch ? watch.about / seen : 1;
    const overSeconds = watch ? watch.knownSeconds / Math.max(1, more) : null;
    return { unit, count: most.calls, ...span, overSeconds };
  }
  const replays = processes.reduce((all, one) => all + one.replays, 0);
  return replays > 0 ? { unit: 'replay', count: replays, ...span, overSeconds: null } : null;
}

/** Of several modules that a program calls itself (a tokenizer, the model, a loss), the one that takes longest speaks for all. */
function longestModule(processes: readonly ProcessPasses[], what: PassShape['what']) {
  let longest: { process: ProcessPasses; calls: number; seconds: number } | null = null;
  for (const process of processes) {
    const modules = new Map<string, { calls: number; seconds: number }>();
    for (const one of process.shapes) {
      if (one.what !== what) continue;
      const { calls, seconds } = modules.get(one.module) ?? { calls: 0, seconds: 0 };
      const spent = seconds + one.passes * one.meanSeconds;
      modules.set(one.module, { calls: calls + one.passes, seconds: spent });
    }
    for (const one of modules.values()) {
      if (!longest || one.seconds > longest.seconds) longest = { process, ...one };
    }
  }
  return longest;
}

/** Over all processes that have hooks. */
function watchedOf(
  processes: readonly ProcessPasses[],
): Pick<Requests, 'watched' | 'forwardEstimate'> {
  let [watched, known, estimate] = [0, 0, 0];
  for (const { watch, shapes } of processes) {
    const passes = shapes.reduce((all, one) => all + (one.what === 'forward' ? one.passes : 0), 0);
    if (passes === 0) continue;
    if (!watch) return { watched: null, forwardEstimate: null };
    watched += watch.watchedSeconds;
    known += watch.knownSeconds;
    estimate += Math.max(passes, watch.about);
  }
  if (known === 0) return { watched: null, forwardEstimate: null };
  return { watched: watched / known, forwardEstimate: Math.round(estimate) };
}

const byPeak = (a: PassShape, b: PassShape) =>
  (b.peakBytes ?? 0) - (a.peakBytes ?? 0) ||
  b.meanSeconds * b.passes - a.meanSeconds * a.passes ||
  (a.shape < b.shape ? -1 : 1);

function peakOf(highest: PassShape | null, zero: number): RequestPeak | null {
  if (!highest || highest.peakBytes === null) return null;
  const { what, module, shape, peakBytes, addedBytes, peakNs } = highest;
  const seconds = (peakNs! - zero) / SECOND_NS;
  return { bytes: peakBytes, addedBytes: addedBytes!, what, module, shape, seconds };
}

/** By the leak verdict's own trend, in requests instead of hours. */
function growthOf(leak: LeakAnswer, perSecond: number): RequestGrowth | null {
  const { trend, bound } = leak;
  if (leak.verdict === 'leak' && trend?.verdict === 'leak' && trend.perHourBytes !== null) {
    return {
      bytesPerThousand: ((trend.perHourBytes / 3600) * 1000) / perSecond,
      shown: true,
      series: trend.series,
    };
  }
  if (bound?.bytesPerHour === undefined) return null;
  return {
    bytesPerThousand: ((bound.bytesPerHour / 3600) * 1000) / perSecond,
    shown: false,
    series: bound.series,
  };
}
