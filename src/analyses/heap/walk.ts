import { UserError } from '../../base/errors.ts';
import type { NodeSet } from '../../model/heap/node-set.ts';
import { parseWay } from './classifier.ts';
import type { Heap } from './heap.ts';
import { referentsOf, referrersOfSet } from './neighbours.ts';
import { membersOf, partitionOf } from './partition.ts';
import { identitiesOf, minusHeap } from './relative.ts';

/** One step of a walk into a heap, and what it led to. */
export interface Crumb {
  /** In words: the row that was opened, or `referrers`. */
  readonly label: string;
  readonly count: number;
  readonly size: number;
}

export interface HeapWalk {
  readonly set: NodeSet;
  readonly crumbs: readonly Crumb[];
}

/** More steps than a reader takes by hand. */
const MOST_STEPS = 50;

/**
 * From all objects on: `kind:3` opens row 3 of the partition by kind, `referents` and `referrers` go on
 * to the neighbours, `without:0.1` leaves out what another heap has too. Steps are divided by `/`.
 */
export async function walk(
  heap: Heap,
  text: string,
  other: (id: string) => Promise<Heap>,
): Promise<HeapWalk> {
  const steps = text.split('/').filter(Boolean);
  if (steps.length > MOST_STEPS) throw new UserError(`more than ${MOST_STEPS} steps into a heap`);
  let set: NodeSet = heap.objects;
  const crumbs: Crumb[] = [];
  for (const step of steps) {
    const { label, found } = await take(heap, set, step, other);
    set = found;
    crumbs.push({ label, count: set.length, size: sizeOf(heap, set) });
  }
  return { set, crumbs };
}

async function take(
  heap: Heap,
  set: NodeSet,
  step: string,
  other: (id: string) => Promise<Heap>,
): Promise<{ label: string; found: NodeSet }> {
  const [verb = '', word = ''] = step.split(':', 2);
  switch (verb) {
    case 'referents':
      return { label: 'what they refer to', found: referentsOf(heap, set) };
    case 'referrers':
      return { label: 'who refers to them', found: referrersOfSet(heap, set) };
    case 'without':
      return { label: 'new', found: minusHeap(heap, set, identitiesOf(await other(word))) };
  }
  const partition = partitionOf(heap, set, parseWay(verb));
  const row = Number(word);
  if (!Number.isInteger(row) || row < 0 || row >= partition.rows) {
    throw new UserError(`there is no row ${word} by ${verb}`, {
      hint: `rows go from 0 to ${partition.rows - 1}`,
    });
  }
  return { label: partition.label(row).trim(), found: membersOf(partition, row) };
}

export function sizeOf({ graph }: Heap, set: NodeSet): number {
  let sum = 0;
  for (let i = 0; i < set.length; i++) sum += graph.nodes.size[set[i]!]!;
  return sum;
}
