import { firstFrom } from '../../../base/search.ts';
import { ENTRY } from '../../../model/heap/edge-naming.ts';
import type { Heap } from '../heap.ts';
import { type Places, placeText } from '../places/index.ts';
import type { Change, Group } from './change.ts';
import { type Holder, type HolderCount, holdersOfTops } from './holders.ts';
import type { Look } from './look.ts';
import type { Roll } from './roll.ts';
import { type Judgement, judge, OURS, SMALL_BYTES } from './verdict.ts';

/** Places that are looked at closely, by how much they changed; beyond these each is a crumb. */
const MOST_GROUPS = 50_000;
const MOST_ROWS = 50;
const MOST_KINDS = 5;

export interface NewKind {
  readonly kind: string;
  readonly count: number;
  readonly bytes: number;
  /** Of functions and their variables: which function most are of, and where it was written. */
  readonly written: string | null;
}

/** A place of the program's that holds more than it did: a container, or a variable. */
export interface ContainerGrowth extends Judgement {
  /** As the program's author would say it: `__main__.cache`, `rows in scope of onRequest (/app/server.js:10)`. */
  readonly place: string;
  /** Of the container; null where it is no single kind, or a variable that holds something else now. */
  readonly kind: string | null;
  /** How many containers of one sort these are, as `cache[…]`. */
  readonly containers: number;
  /** Bytes more than in the first heap, with all that only it holds. */
  readonly grown: number;
  /** Bytes that it alone keeps alive, in each heap; null: others hold its entries too, or it is a variable. */
  readonly retained: readonly number[] | null;
  /** Things in it, in each heap; null where it is no container. */
  readonly entries: readonly number[] | null;
  /** Objects in it that the first heap has not, and those that it has no more. */
  readonly fresh: number;
  readonly gone: number;
  /** What the new ones are, those that hold most first. */
  readonly kinds: readonly NewKind[];
  /** Everybody who refers to the new ones, by how many of them. */
  readonly holders: readonly HolderCount[];
}

/** Who holds more in the last heap than in the first; the heaps between say whether that went on. */
export function grownContainers(look: Look): ContainerGrowth[] {
  const { change, places, last } = look;
  const merged = mergedGroups(change, places, last.graph.nodes.count);
  const growing = [...merged.values()]
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes);
  const large = growing.filter(({ bytes }) => bytes >= SMALL_BYTES).slice(0, MOST_ROWS);
  // Of a container's entries some may be held by others too: a little, that belongs to it all the same.
  const shared = growing.filter((row) => row.via !== ENTRY && !large.includes(row));
  const looked = [...large, ...shared.slice(0, MOST_ROWS)];
  const tops = topsOf(change, last, looked);
  const rows = joined(looked.map((row, i) => described(row, tops[i]!, look)));
  const order = ({ verdict }: ContainerGrowth) => (verdict === 'artifact' ? 1 : 0);
  return rows
    .filter(({ grown }) => grown >= SMALL_BYTES)
    .sort((a, b) => order(a) - order(b) || b.grown - a.grown);
}

/** Rows of one container as one. */
function joined(rows: readonly ContainerGrowth[]): ContainerGrowth[] {
  const found = new Map<string, ContainerGrowth>();
  for (const row of rows) {
    const key = `${row.place} ${row.containers} ${row.verdict === 'artifact'}`;
    const first = found.get(key);
    found.set(key, first ? sum(first, row) : row);
  }
  return [...found.values()];
}

function sum(a: ContainerGrowth, b: ContainerGrowth): ContainerGrowth {
  const add = <T>(
    of: (row: ContainerGrowth) => readonly T[],
    name: keyof T,
    ...numbers: (keyof T)[]
  ) => {
    const rows = new Map<unknown, T>();
    for (const one of [...of(a), ...of(b)]) {
      const known = rows.get(one[name]);
      const totals = numbers.map((key) => [key, Number(known?.[key] ?? 0) + Number(one[key])]);
      rows.set(one[name], { ...one, ...Object.fromEntries(totals) });
    }
    return [...rows.values()].sort((x, y) => Number(y[numbers[0]!]) - Number(x[numbers[0]!]));
  };
  return {
    ...a,
    grown: a.grown + b.grown,
    retained: a.retained ?? b.retained,
    fresh: a.fresh + b.fresh,
    gone: a.gone + b.gone,
    kinds: add(({ kinds }) => kinds, 'kind', 'bytes', 'count'),
    holders: add(({ holders }) => holders, 'place', 'count'),
  };
}

/** Groups at places of one sort: the rows of every table of a database are one. */
interface Merged {
  readonly via: number;
  readonly groups: Group[];
  bytes: number;
}

const bytesOf = ({ freshBytes, goneBytes, grown }: Group) => freshBytes - goneBytes + grown;

function mergedGroups({ groups }: Change, places: Places, nobody: number): Map<string, Merged> {
  const all = [...groups.values()].flatMap((named) => [...named.values()]);
  all.sort((a, b) => Math.abs(bytesOf(b)) - Math.abs(bytesOf(a)));
  const merged = new Map<string, Merged>();
  for (const group of all.slice(0, MOST_GROUPS)) {
    const place = group.host === nobody ? '' : placeText(places.of(group.host));
    const key = `${group.via} ${place}`;
    const row = merged.get(key) ?? { via: group.via, groups: [], bytes: 0 };
    row.groups.push(group);
    row.bytes += bytesOf(group);
    merged.set(key, row);
  }
  return merged;
}

/** The topmost new objects of each row. */
function topsOf({ same, top, groups }: Change, heap: Heap, rows: readonly Merged[]): number[][] {
  const { owner, via } = heap.anatomy();
  const tops: number[][] = rows.map(() => []);
  const rowOf = new Map<Group, number>();
  rows.forEach((row, at) => {
    for (const group of row.groups) rowOf.set(group, at);
  });
  for (let node = 0; node < same.length; node++) {
    if (same[node] === 1 || top[node] !== node) continue;
    const group = groups.get(owner[node]!)?.get(via[node]!);
    const at = group && rowOf.get(group);
    if (at !== undefined) tops[at]!.push(node);
  }
  return tops;
}

function described(row: Merged, tops: readonly number[], look: Look): ContainerGrowth {
  const { last, places, own, rolls } = look;
  const { nodes } = last.graph;
  const holders = holdersOfTops(look, tops);
  const main = holders[0];
  const hosts = row.groups.map(({ host }) => host).filter((host) => host < nodes.count);
  const isContainer = row.via === ENTRY;
  // Where several hold the new ones, that is the container which has most of them.
  const containers = isContainer ? hosts : main?.isContainer ? main.hosts : [];
  const counts = entriesOver(rolls, last, containers);
  const entries = counts.some((many) => many > 0) ? counts : null;
  const retained = isContainer ? retainedOver(rolls, last, hosts) : null;
  const sum = (value: (group: Group) => number) =>
    row.groups.reduce((total, group) => total + value(group), 0);
  const isOwn = (node: number) => own[node] === 1;
  const ours = tops.length > 0 ? tops.every(isOwn) : hosts.length > 0 && hosts.every(isOwn);
  const grows = entries !== null && entries.at(-1)! > entries[0]! ? entries : retained;
  return {
    place: placeOf(containers, main, places, last),
    kind: kindOf(last, containers),
    containers: containers.length,
    grown: row.bytes,
    retained,
    entries,
    fresh: sum(({ fresh }) => fresh),
    gone: sum(({ gone }) => gone),
    kinds: kindsOf(look, tops),
    holders: holders.map(({ place, count }) => ({ place, count })),
    ...(ours
      ? { verdict: 'artifact', evidence: OURS }
      : judge(grows ?? kindOver(rolls, last, tops))),
  };
}

function placeOf(
  containers: readonly number[],
  main: Holder | undefined,
  places: Places,
  last: Heap,
): string {
  if (containers.length > 0)
    return placeText(places.of(containers[0]!, containers.length === 1)) || rootName(last);
  return main?.place ?? 'nothing that the program can name';
}

const rootName = ({ graph }: Heap) =>
  graph.runtime === 'python' ? 'variables of running functions' : "V8's own roots";

function kindOf({ graph }: Heap, containers: readonly number[]): string | null {
  const kinds = new Set(containers.map((node) => graph.nodes.kind[node]!));
  return kinds.size === 1 ? graph.strings.text([...kinds][0]!) : null;
}

function kindsOf({ last, change, places }: Look, tops: readonly number[]): NewKind[] {
  const { graph } = last;
  const rows = new Map<number, { count: number; bytes: number; names: Map<string, number> }>();
  for (const node of tops) {
    const kind = graph.nodes.kind[node]!;
    const row = rows.get(kind) ?? { count: 0, bytes: 0, names: new Map() };
    row.count++;
    row.bytes += change.weight[node]!;
    const name = places.written(node);
    if (name !== null) row.names.set(name, (row.names.get(name) ?? 0) + 1);
    rows.set(kind, row);
  }
  return [...rows]
    .map(([kind, { names, ...row }]) => ({
      kind: graph.strings.text(kind),
      ...row,
      written: most(names),
    }))
    .sort((a, b) => b.bytes - a.bytes || b.count - a.count)
    .slice(0, MOST_KINDS);
}

function most(names: ReadonlyMap<string, number>): string | null {
  const [first] = [...names].sort(([, a], [, b]) => b - a);
  return first?.[0] ?? null;
}

/** A figure of some objects in each heap, by their ids. */
function over(
  rolls: readonly Roll[],
  { graph }: Heap,
  nodes: readonly number[],
  then: (roll: Roll) => ArrayLike<number>,
  now: ArrayLike<number>,
): number[] {
  const at = (roll: Roll, node: number) => {
    const row = firstFrom(roll.ids, graph.nodes.id[node]!);
    return roll.ids[row] === graph.nodes.id[node] ? then(roll)[row]! : 0;
  };
  const total = (value: (node: number) => number) =>
    nodes.reduce((sum, node) => sum + value(node), 0);
  return [...rolls.map((roll) => total((node) => at(roll, node))), total((node) => now[node]!)];
}

const entriesOver = (rolls: readonly Roll[], last: Heap, nodes: readonly number[]) =>
  over(rolls, last, nodes, ({ entries }) => entries, last.anatomy().entries);

const retainedOver = (rolls: readonly Roll[], last: Heap, nodes: readonly number[]) =>
  over(rolls, last, nodes, ({ retained }) => retained, last.dominators().retained);

/** How many there are of the kinds of some objects, in each heap. */
function kindOver(rolls: readonly Roll[], { graph, objects }: Heap, tops: readonly number[]) {
  const kinds = new Set(tops.map((node) => graph.nodes.kind[node]!));
  const texts = new Set([...kinds].map((kind) => graph.strings.text(kind)));
  const before = rolls.map(({ kinds: all, kindTexts }) => {
    const wanted = new Set([...kindTexts].filter(([, text]) => texts.has(text)).map(([id]) => id));
    return all.reduce((sum, kind) => sum + (wanted.has(kind) ? 1 : 0), 0);
  });
  const now = objects.reduce((sum, node) => sum + (kinds.has(graph.nodes.kind[node]!) ? 1 : 0), 0);
  return [...before, now];
}
