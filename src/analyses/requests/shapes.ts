import { SECOND_NS } from '../../base/time.ts';
import type { Recording } from '../../model/recording.ts';

/** All passes of one shape. */
export interface PassShape {
  readonly what: 'forward' | 'generate';
  /** Class of the outermost module. */
  readonly module: string;
  /** Of the tensor that it was given first; empty: none was to be seen. */
  readonly shape: string;
  readonly passes: number;
  /** null: the shape does not tell. */
  readonly tokens: number | null;
  readonly meanSeconds: number;
  readonly longestSeconds: number;
  /** The most that torch's allocator had handed out in one of them, where that was more than ever before; null: it never was. */
  readonly peakBytes: number | null;
  /** Of that, what had not been there when the pass began. */
  readonly addedBytes: number | null;
  /** When the highest of them was told, on the recording's clock. */
  readonly peakNs: number | null;
}

/** What one process ran forward. */
export interface ProcessPasses {
  readonly pid: number;
  /** From the first that was told to the last. */
  readonly fromNs: number;
  readonly toNs: number;
  readonly shapes: readonly PassShape[];
  /** Replays of CUDA graphs, in which no module runs. */
  readonly replays: number;
  /** How long it had hooks for forward passes, of the time since it first had; null: not said. */
  readonly watch: Watch | null;
}

interface Watch {
  readonly watchedSeconds: number;
  readonly knownSeconds: number;
  /** Forward passes in all of `knownSeconds`: those that were seen, and as many in each rest as there were before and after it. */
  readonly about: number;
}

interface Sum {
  what: string;
  module: string;
  shape: string;
  passes: number;
  tokens: number;
  spent: number;
  longest: number;
  peak: number;
  before: number;
  at: number;
}

/** By process, without those that train: what runs forward there is no request. */
export function passesByProcess(recording: Recording): ProcessPasses[] {
  const table = recording.table('passes');
  const pids = table.u32('pid');
  const training = trainingPids(recording);
  const own = new Set([...pids].filter((pid) => !training.has(pid)));
  return [...own].map((pid) => ofProcess(recording, pid));
}

function ofProcess(recording: Recording, pid: number): ProcessPasses {
  const table = recording.table('passes');
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const texts = (['what', 'module', 'shape'] as const).map((name) => table.u32(name));
  const [passes, tokens, spent] = [table.f64('passes'), table.f64('tokens'), table.f64('spent')];
  const [longest, peaks, before] = [table.f64('longest'), table.f64('peak'), table.f64('before')];
  const sums = new Map<string, Sum>();
  let [replays, fromNs, toNs] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let row = 0; row < table.rows; row++) {
    if (pids[row] !== pid) continue;
    fromNs = Math.min(fromNs, times[row]!);
    toNs = Math.max(toNs, times[row]!);
    const [what, module, shape] = texts.map((column) => recording.text(column[row]!));
    if (what === 'replay') {
      replays += passes[row]!;
      continue;
    }
    const key = `${what} ${module} ${shape}`;
    const none = { passes: 0, tokens: 0, spent: 0, longest: 0, peak: 0, before: 0, at: 0 };
    const sum = sums.get(key) ?? { what: what!, module: module!, shape: shape!, ...none };
    sums.set(key, sum);
    sum.passes += passes[row]!;
    sum.tokens += tokens[row]!;
    sum.spent += spent[row]!;
    sum.longest = Math.max(sum.longest, longest[row]!);
    if (peaks[row]! > sum.peak) {
      [sum.peak, sum.before, sum.at] = [peaks[row]!, before[row]!, times[row]!];
    }
  }
  const shapes = [...sums.values()].map(shapeOf);
  return { pid, fromNs, toNs, replays, shapes, watch: watchOf(recording, pid) };
}

function shapeOf(sum: Sum): PassShape {
  const known = sum.peak > 0;
  return {
    what: sum.what === 'generate' ? 'generate' : 'forward',
    module: sum.module,
    shape: sum.shape,
    passes: sum.passes,
    tokens: sum.tokens > 0 ? sum.tokens : null,
    meanSeconds: sum.spent / sum.passes / SECOND_NS,
    longestSeconds: sum.longest / SECOND_NS,
    peakBytes: known ? sum.peak : null,
    addedBytes: known ? Math.max(0, sum.peak - sum.before) : null,
    peakNs: known ? sum.at : null,
  };
}

/** By the last that the agent said: both count on. */
function watchOf(recording: Recording, pid: number): ProcessPasses['watch'] {
  const watched = lastCounter(recording, pid, 'passes.watched_ns');
  const known = lastCounter(recording, pid, 'passes.known_ns');
  const about = lastCounter(recording, pid, 'passes.about');
  if (!watched || !known || about === null) return null;
  return {
    about,
    watchedSeconds: Math.min(watched, known) / SECOND_NS,
    knownSeconds: known / SECOND_NS,
  };
}

function lastCounter(recording: Recording, pid: number, name: string): number | null {
  const counters = recording.table('counters');
  const [names, pids] = [counters.u32('name'), counters.u32('pid')];
  const id = [...new Set(names)].find((one) => recording.text(one) === name);
  if (id === undefined) return null;
  const values = counters.f64('value');
  const row = names.findLastIndex((one, at) => one === id && pids[at] === pid);
  return row < 0 ? null : values[row]!;
}

/** Whose optimizers took steps, or whose gradients were taken. */
export function trainingPids(recording: Recording): Set<number> {
  const found = new Set<number>();
  const marks = recording.table('marks');
  const [kinds, markPids] = [marks.u32('kind'), marks.f64('pid')];
  for (const [row, kind] of kinds.entries()) {
    if (recording.text(kind) === 'step') found.add(markPids[row]!);
  }
  const counters = recording.table('counters');
  const [names, pids] = [counters.u32('name'), counters.u32('pid')];
  const said = [...new Set(names)].find((id) => recording.text(id) === 'passes.training');
  for (const [row, name] of names.entries()) if (name === said) found.add(pids[row]!);
  return found;
}
