import { hostOf } from '../../../model/heap/anatomy.ts';
import { ENTRY } from '../../../model/heap/edge-naming.ts';
import { strongEdgeTypes } from '../../../model/heap/strong-references.ts';
import type { Heap } from '../heap.ts';
import { placeText } from '../places/index.ts';
import type { Look } from './look.ts';

/** Of very many the first tell who holds the others. */
const MOST_TOPS = 20_000;
const MOST_REFERRERS = 100;

/** A place from which some objects are referred to, and how many of them. */
export interface HolderCount {
  readonly place: string;
  readonly count: number;
}

export interface Holder extends HolderCount {
  /** It refers to them as entries, not by a name. */
  readonly isContainer: boolean;
  /** The objects at that place. */
  readonly hosts: readonly number[];
}

/** Everybody who refers to new objects from outside of them, the one with most first. */
export function holdersOfTops(look: Look, tops: readonly number[]): Holder[] {
  const { last, change, places } = look;
  const { nodes, edges, types } = last.graph;
  const anatomy = last.anatomy();
  const holds = strongEdgeTypes(last.graph);
  const madeUp = types.indexOf('synthetic');
  const looked = new Set(tops.slice(0, MOST_TOPS));
  const isInside = (host: number, top: number) =>
    change.same[host] === 0 && change.top[host] === top;
  const found = new Map<string, { isContainer: boolean; hosts: Set<number>; held: Set<number> }>();
  // By who refers: the references of a large container are gone through once, not once for each entry.
  for (const node of referrersOf(last, looked)) {
    const host = hostOf(anatomy, node);
    // V8's own roots hold every text that is a name of something.
    if (host >= nodes.count || (last.graph.runtime === 'v8' && nodes.type[host] === madeUp))
      continue;
    for (let edge = nodes.firstEdge[node]!; edge < nodes.firstEdge[node + 1]!; edge++) {
      const to = edges.to[edge]!;
      if (holds[edges.type[edge]!] === 0 || !looked.has(to) || isInside(host, to)) continue;
      const isContainer = anatomy.naming.key(node, edge) === ENTRY;
      const place = placeText(isContainer ? places.of(host) : places.at(node, edge));
      let holder = found.get(place);
      if (!holder) {
        holder = { isContainer, hosts: new Set(), held: new Set() };
        found.set(place, holder);
      }
      holder.hosts.add(host);
      holder.held.add(to);
    }
  }
  return [...found]
    .map(([place, { isContainer, hosts, held }]) => ({
      place: isContainer && hosts.size === 1 ? placeText(places.of([...hosts][0]!, true)) : place,
      count: held.size,
      isContainer,
      hosts: [...hosts],
    }))
    .sort((a, b) => b.count - a.count || Number(b.isContainer) - Number(a.isContainer));
}

function referrersOf(heap: Heap, tops: ReadonlySet<number>): Set<number> {
  const { first, from } = heap.referrers();
  const found = new Set<number>();
  for (const top of tops) {
    const end = Math.min(first[top + 1]!, first[top]! + MOST_REFERRERS);
    for (let row = first[top]!; row < end; row++) found.add(from[row]!);
  }
  return found;
}
