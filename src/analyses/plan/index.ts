import { SECOND_NS } from '../../base/time.ts';
import {
  type EngineText,
  engineName,
  isPlanWhat,
  PASSED_OVER,
  passedOverNote,
} from '../../model/engine-plan.ts';
import { origin } from '../../model/origin.ts';
import type { Recording } from '../../model/recording.ts';
import { type Comparison, compared } from './compared.ts';
import { type Measured, MeasuredMemory } from './measured.ts';
import { type Planned, plansOf, type TimedFigure } from './planned.ts';
import { poolUse, type TimedSample } from './pool.ts';
import { type Room, roomOf } from './room.ts';

export type { Comparison } from './compared.ts';
export type { MeasuredPart } from './measured.ts';
export type { PlannedPart, Sourced } from './planned.ts';
export type { Room } from './room.ts';

/** What engines that serve models planned to hold, and what they held. */
export interface Plan {
  readonly type: 'plan';
  readonly engines: readonly EnginePlan[];
  /** Lines that were passed over, and what limits what the figures mean. */
  readonly notes: readonly string[];
}

/** One process of an engine, and one loading of a model. */
export interface EnginePlan extends Omit<Planned, 'completeNs' | 'asleepNs'> {
  /** When its plan was complete; null: of a log alone. */
  readonly seconds: number | null;
  /** Its pool in use: of the whole engine. */
  readonly pool: {
    readonly samples: number;
    readonly from: readonly ('log' | 'metrics')[];
    readonly highestShare: number | null;
    readonly highestSeconds: number | null;
    readonly highestLine: number | null;
    readonly mostRunning: number | null;
    readonly mostWaiting: number | null;
    readonly preemptions: number | null;
  } | null;
  /** What it really held; null: not measured, or of a log alone. */
  readonly measured: (Omit<Measured, 'ns'> & { readonly seconds: number }) | null;
  /** Part by part; the differences add up to the whole one. */
  readonly compared: readonly Comparison[];
  /** Whether it could have had more of the card; null: nothing tells. */
  readonly room: Room | null;
}

/** So many are told of: a server may load models all day. */
const MOST_ENGINES = 32;

/** Of a recording: what engines said while it ran, against what was measured. */
export function plan(recording: Recording): Plan {
  const figures = figuresOf(recording);
  const samples = samplesOf(recording);
  const zero = origin(recording).ns;
  const found = planOf(figures, samples, recording, zero);
  const spoke = new Set([...figures, ...samples].map(({ engine }) => engine));
  return { ...found, notes: [...found.notes, ...passedOver(recording, spoke)] };
}

/** Lines that were not read, of engines that spoke. */
function passedOver(recording: Recording, spoke: ReadonlySet<string>): string[] {
  const table = recording.table('planned');
  const [engines, whats] = [table.u32('engine'), table.u32('what')];
  const [lines, knowns] = [table.u32('line'), table.u32('wording')];
  const found = new Map<string, { lines: number[]; known: string }>();
  for (let row = 0; row < table.rows; row++) {
    if (recording.text(whats[row]!) !== PASSED_OVER) continue;
    const engine = recording.text(engines[row]!);
    const one = found.get(engine) ?? { lines: [], known: recording.text(knowns[row]!) };
    one.lines.push(lines[row]!);
    found.set(engine, one);
  }
  return [...found].flatMap(([engine, { lines, known }]) =>
    spoke.has(engine) ? [passedOverNote(engineName(engine), lines, known)] : [],
  );
}

/** Of a log alone. */
export function planOfText({ figures, samples, notes }: EngineText): Plan {
  const timed = figures.map((one): TimedFigure => ({ ...one, ns: Number.NaN }));
  const all = samples.map((one): TimedSample => ({ ...one, ns: Number.NaN }));
  const found = planOf(timed, all, null, 0);
  return { ...found, notes: [...found.notes, ...notes] };
}

function planOf(
  figures: readonly TimedFigure[],
  samples: readonly TimedSample[],
  recording: Recording | null,
  zero: number,
): Plan {
  const all = plansOf(figures);
  const memory = recording && all.length > 0 ? new MeasuredMemory(recording) : null;
  const unmeasured = new Set<string>();
  const engines = all.slice(-MOST_ENGINES).map((one): EnginePlan => {
    const { completeNs, asleepNs, ...planned } = one;
    const seconds = (ns: number) => (Number.isNaN(ns) ? null : (ns - zero) / SECOND_NS);
    const use = poolUse(one.engine, samples);
    // Whether a pool that is planned was taken already, only the first word of its use tells.
    const first = samples.find(({ engine, ns }) => engine === one.engine && ns >= completeNs)?.ns;
    const from = first ?? completeNs;
    // A model that is loaded again takes the place of the one before.
    const next = all.find(
      (other) =>
        other.engine === one.engine && other.load > one.load && other.completeNs >= completeNs,
    );
    const to = Math.min(
      Number.isNaN(asleepNs) ? Number.POSITIVE_INFINITY : asleepNs,
      next?.completeNs ?? Number.POSITIVE_INFINITY,
    );
    const alone = !all.some(
      (other) => other !== one && other.engine === one.engine && other.load === one.load,
    );
    const found = memory?.of(one.pid, from, to, { onCard: one.cardBytes !== null, alone }) ?? null;
    const measured = typeof found === 'string' ? null : found;
    if (typeof found === 'string') unmeasured.add(`Not held against what was measured: ${found}`);
    return {
      ...planned,
      seconds: seconds(completeNs),
      pool: use && {
        samples: use.samples,
        from: use.from,
        highestShare: use.highest?.share ?? null,
        highestSeconds: use.highest && seconds(use.highest.ns),
        highestLine: use.highest?.line ?? null,
        mostRunning: use.mostRunning,
        mostWaiting: use.mostWaiting,
        preemptions: use.preemptions,
      },
      measured: measured && withSeconds(measured, zero),
      compared: compared(one, measured),
      room: recording && roomOf(one, measured, recording, from, to),
    };
  });
  const dropped = all.length - engines.length;
  return {
    type: 'plan',
    engines,
    notes: [...(dropped > 0 ? [`${dropped} earlier plans are left out`] : []), ...unmeasured],
  };
}

function withSeconds({ ns, ...rest }: Measured, zero: number) {
  return { ...rest, seconds: (ns - zero) / SECOND_NS };
}

function figuresOf(recording: Recording): TimedFigure[] {
  const table = recording.table('planned');
  const [times, pids] = [table.f64('time'), table.f64('pid')];
  const [loads, values] = [table.u32('load'), table.f64('value')];
  const [lines, whats] = [table.u32('line'), table.u32('what')];
  const texts = (name: string) => {
    const ids = table.u32(name);
    return (row: number) => recording.text(ids[row]!);
  };
  const [engine, version, worker] = [texts('engine'), texts('version'), texts('worker')];
  const [device, wording] = [texts('device'), texts('wording')];
  return Array.from({ length: table.rows }, (_, row) => row).flatMap((row) => {
    const what = recording.text(whats[row]!);
    if (!isPlanWhat(what)) return [];
    return [
      {
        ns: times[row]!,
        engine: engine(row),
        version: version(row),
        worker: worker(row),
        pid: Number.isNaN(pids[row]!) ? null : pids[row]!,
        load: loads[row]!,
        device: device(row),
        what,
        value: values[row]!,
        wording: wording(row),
        line: lines[row]!,
      },
    ];
  });
}

function samplesOf(recording: Recording): TimedSample[] {
  const table = recording.table('serving');
  const times = table.f64('time');
  const [engines, workers, froms] = [table.u32('engine'), table.u32('worker'), table.u32('source')];
  const [used, running] = [table.f64('kv_used'), table.f64('running')];
  const [waiting, preemptions] = [table.f64('waiting'), table.f64('preemptions')];
  return Array.from(times, (ns, row) => ({
    ns,
    line: null,
    engine: recording.text(engines[row]!),
    worker: recording.text(workers[row]!),
    from: recording.text(froms[row]!) === 'metrics' ? 'metrics' : 'log',
    kvUsed: used[row]!,
    running: running[row]!,
    waiting: waiting[row]!,
    preemptions: preemptions[row]!,
  }));
}
