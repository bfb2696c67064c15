import type { Recording } from '../../model/recording.ts';
import { lineName, micros, type TraceEvent } from './event.ts';

/** A line of its own for each kind of mark; phases below them. */
const FIRST_LINE = 1;

/** Marks as instants, and phases that have a begin and an end as slices. */
export function markEvents(recording: Recording, pid: number, end: number): TraceEvent[] {
  const { instants, slices } = sorted(marksOf(recording), end);
  const kinds = [...new Set(instants.map(({ kind }) => kind))];
  const lanes = inLanes(slices);
  const firstLane = FIRST_LINE + kinds.length;
  const phases = lanes.map((_, i) => (i === 0 ? 'phases' : `phases ${i + 1}`));
  return [
    ...kinds.map((kind, i) => lineName(pid, FIRST_LINE + i, kind)),
    ...phases.map((name, i) => lineName(pid, firstLane + i, name)),
    ...instants.map(({ kind, label, ts }): TraceEvent => {
      const tid = FIRST_LINE + kinds.indexOf(kind);
      return { ph: 'i', name: label, pid, tid, ts, s: 't' };
    }),
    ...lanes.flatMap((lane, i) =>
      lane.map(({ name, ts, until }): TraceEvent => {
        return { ph: 'X', name, pid, tid: firstLane + i, ts, dur: until - ts };
      }),
    ),
  ];
}

interface Mark {
  readonly kind: string;
  readonly name: string;
  /** What to show. */
  readonly label: string;
  readonly value: number;
  readonly ts: number;
}

interface Slice {
  readonly name: string;
  readonly ts: number;
  readonly until: number;
}

function marksOf(recording: Recording): Mark[] {
  const table = recording.table('marks');
  const [kinds, names] = [table.u32('kind'), table.u32('name')];
  const [epochs, iterations] = [table.f64('epoch'), table.f64('iteration')];
  return Array.from(table.f64('time'), (time, row) => {
    const [kind, name] = [recording.text(kinds[row]!), recording.text(names[row]!)];
    const number = kind === 'epoch' ? epochs[row]! : iterations[row]!;
    const label = name || (Number.isNaN(number) ? kind : `${kind} ${number}`);
    return { kind, name, label, value: table.f64('value')[row]!, ts: micros(time) };
  });
}

/**
 * A phase begins and ends with two marks: of one name with the values 1 and 0, or `name` and
 * `/name`. One without its other half: a phase cut off by the end is a slice, the rest are instants.
 */
function sorted(marks: readonly Mark[], end: number): { instants: Mark[]; slices: Slice[] } {
  const instants: Mark[] = [];
  const slices: Slice[] = [];
  const open = new Map<string, number[]>();
  const closedLater = new Set(
    marks.flatMap(({ kind, name }) => (kind === 'phase' && name.startsWith('/') ? [name] : [])),
  );
  for (const mark of marks) {
    const { kind, name, value, ts } = mark;
    const begins = kind === 'phase' && (value === 1 || closedLater.has(`/${name}`));
    const what = name.startsWith('/') && value !== 0 ? name.slice(1) : name;
    const begun = kind === 'phase' && !begins ? open.get(what)?.pop() : undefined;
    if (begins) open.set(name, [...(open.get(name) ?? []), ts]);
    else if (begun !== undefined) slices.push({ name: what, ts: begun, until: ts });
    else instants.push(mark);
  }
  for (const [name, begun] of open) {
    for (const ts of begun) slices.push({ name, ts, until: Math.max(ts, end) });
  }
  return { instants, slices };
}

/** Viewers draw slices of one line inside each other, so those that only overlap get another line. */
function inLanes(slices: readonly Slice[]): Slice[][] {
  const lanes: { slices: Slice[]; open: Slice[] }[] = [];
  for (const slice of [...slices].sort((a, b) => a.ts - b.ts || b.until - a.until)) {
    let lane = lanes.find(({ open }) => {
      while (open.length > 0 && open.at(-1)!.until <= slice.ts) open.pop();
      return open.length === 0 || open.at(-1)!.until >= slice.until;
    });
    if (!lane) {
      lane = { slices: [], open: [] };
      lanes.push(lane);
    }
    lane.slices.push(slice);
    lane.open.push(slice);
  }
  return lanes.map((lane) => lane.slices);
}
