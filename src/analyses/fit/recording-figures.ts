import { max } from 'd3-array';
import { baselineOf } from '../../model/baseline.ts';
import type { Recording } from '../../model/recording.ts';
import { type Series, series } from '../../model/series.ts';
import type { FitMeasures, FitRun, InUse } from './question.ts';

/** The peaks of one recording, and what was taken by others meanwhile. */
export interface RecordingFigures {
  readonly figures: FitRun['figures'];
  readonly besideBytes: number;
}

/** In use above what was there before: all that can be called the run's where processes are not listed. */
const ABOVE = 'above baseline';
/** What is held without the allocator's cache. */
export const LIVE = 'without cache';

/** `name` is the series in which the runs are compared. */
export function recordingFigures(recording: Recording, name: string): RecordingFigures | null {
  const all = series(recording, name);
  if (!all) return null;
  const gpu = /^(gpu\d+)\.used$/.exec(name)?.[1];
  const tree = gpu ? series(recording, `${gpu}.tree`) : null;
  const own = tree && peakOf(tree) > 0 ? tree : null;
  const held = own ?? above(all);
  const layers = layerFigures(recording);
  const cached = layers?.cachedBytes ?? 0;
  return {
    figures: {
      [held.name]: peakOf(held),
      ...(own ? { [name]: peakOf(all) } : {}),
      ...(cached > 0 ? { [LIVE]: peakOf(held) - cached } : {}),
      ...layers?.atPeak,
      ...phaseFigures(recording, held),
    },
    besideBytes: beside(recording, all, own),
  };
}

const peakOf = ({ values }: Series) => max(values) ?? 0;

/** A tree is all its own; of a card or a machine, what came on top. */
function above(all: Series): Series {
  const baseline = baselineOf(all);
  if (baseline === 0) return all;
  return {
    ...all,
    name: `${all.name} ${ABOVE}`,
    values: all.values.map((value) => value - baseline),
  };
}

/** Taken by others: of a card also what its driver keeps; of a machine what was in use before. */
function beside(recording: Recording, all: Series, own: Series | null): number {
  if (!/^gpu/.test(all.name)) {
    const host = series(recording, 'host.used');
    return host ? baselineOf(host) : 0;
  }
  const table = recording.table('gpu');
  const [cards, reserved] = [table.u32('gpu'), table.f64('reserved')];
  const card = Number(/\d+/.exec(all.name)![0]);
  const kept =
    max(reserved.filter((value, row) => cards[row] === card && !Number.isNaN(value))) ?? 0;
  return kept + (own ? Math.max(0, peakOf(all) - peakOf(own)) : baselineOf(all));
}

/** What the figures of all runs together mean; `name` as above. */
export function measuresOf(
  all: readonly RecordingFigures[],
  name: string,
): { measures: FitMeasures; inUse: InUse } {
  const names = [...new Set(all.flatMap(({ figures }) => Object.keys(figures)))];
  const inAll = (figure: string) => all.every(({ figures }) => figures[figure] !== undefined);
  const held = names.find(inAll) ?? names[0]!;
  const live = names.includes(LIVE) ? LIVE : null;
  const bytes = max(all, ({ besideBytes }) => besideBytes) ?? 0;
  const what = /^gpu/.test(name) ? "others and the driver's own" : 'in use before the runs began';
  const others = names.filter((figure) => figure !== held && figure !== live);
  const device = others.filter((figure) => figure === name);
  return {
    measures: {
      held,
      live,
      others,
      chain: [...(live ? [live] : []), held, ...device],
      cached: /^gpu/.test(name),
      parts: others.filter((figure) => figure !== name),
    },
    inUse: { bytes, what },
  };
}

/** What a model's parts held when the framework counted most. */
interface LayerFigures {
  /** By category. */
  readonly atPeak: Readonly<Record<string, number>>;
  /** Held by the allocator and free at that moment. */
  readonly cachedBytes: number;
}

/** Kinds that are not live: the allocator's and the device's own. */
const NOT_LIVE = ['cached', 'context'];

/** null where no layer profiler ran. Processes each have a peak of their own, and are summed. */
function layerFigures(recording: Recording): LayerFigures | null {
  const table = recording.table('layers');
  if (table.rows === 0) return null;
  const [times, pids, bytes] = [table.f64('time'), table.u32('pid'), table.f64('bytes')];
  const [names, kinds] = [table.u32('name'), table.u32('kind')];
  const processes = new Map<number, ProcessLayers>();
  for (let row = 0; row < table.rows; row++) {
    const process = processes.get(pids[row]!) ?? {
      now: new Map(),
      time: times[row]!,
      most: 0,
      atMost: null,
    };
    processes.set(pids[row]!, process);
    if (process.time !== times[row]) keepLargest(process);
    process.time = times[row]!;
    const kind = recording.text(kinds[row]!);
    const key = kind === 'at_peak' ? recording.text(names[row]!) : kind === 'peak' ? kind : null;
    // Rows are changes: what is not among them is as before.
    if (key !== null) process.now.set(key, Number.isNaN(bytes[row]!) ? 0 : bytes[row]!);
  }
  const sums = new Map<string, number>();
  for (const process of processes.values()) {
    keepLargest(process);
    for (const [name, value] of process.atMost ?? []) sums.set(name, (sums.get(name) ?? 0) + value);
  }
  const live = [...sums].filter(([name]) => name !== 'peak' && !NOT_LIVE.includes(name));
  return { atPeak: Object.fromEntries(live), cachedBytes: sums.get('cached') ?? 0 };
}

interface ProcessLayers {
  readonly now: Map<string, number>;
  time: number;
  most: number;
  atMost: ReadonlyMap<string, number> | null;
}

function keepLargest(process: ProcessLayers): void {
  const peak = process.now.get('peak') ?? 0;
  if (peak <= process.most) return;
  process.most = peak;
  process.atMost = new Map(process.now);
}

/** A program may name any number of phases; these are the ones met first. */
const MOST_PHASES = 6;

/** The peak of a series in each phase that the program marked. */
function phaseFigures(recording: Recording, { times, values }: Series): Record<string, number> {
  const found = new Map<string, number>();
  for (const { name, from, to } of markedPhases(recording)) {
    if (!found.has(name) && found.size === MOST_PHASES) continue;
    for (let i = 0; i < times.length; i++) {
      if (times[i]! < from || times[i]! > to) continue;
      found.set(name, Math.max(found.get(name) ?? 0, values[i]!));
    }
  }
  return Object.fromEntries([...found].map(([name, bytes]) => [`phase ${name}`, bytes]));
}

/** A phase begins with a mark of its name and ends with one of `/name`. */
function markedPhases(recording: Recording): { name: string; from: number; to: number }[] {
  const marks = recording.table('marks');
  const [times, kinds, names] = [marks.f64('time'), marks.u32('kind'), marks.u32('name')];
  const open = new Map<string, number>();
  const found: { name: string; from: number; to: number }[] = [];
  for (let row = 0; row < marks.rows; row++) {
    if (recording.text(kinds[row]!) !== 'phase') continue;
    const name = recording.text(names[row]!);
    const from = name.startsWith('/') ? open.get(name.slice(1)) : undefined;
    if (from === undefined) open.set(name, times[row]!);
    else found.push({ name: name.slice(1), from, to: times[row]! });
  }
  return found;
}
