import {
  isPassThrough,
  ownerOf,
  packageOf,
  placeOf,
} from '../../../model/allocations/frame-owner.ts';
import type { Frame } from '../../../model/allocations/names.ts';
import { kindName } from '../../../model/memory-kinds.ts';
import { CATEGORIES, type Category } from '../evidence/reasons.ts';
import { type Flame, flame } from './index.ts';
import type { CallSite } from './tree.ts';

/**
 * How stacks become boxes: `own` has the program's lines above the packages' and those above the framework's,
 * `called` has them as they called each other, `callees` begins with the innermost, `modules` with package and file.
 */
export type Arrangement = 'own' | 'called' | 'callees' | 'modules';

export interface FlameView {
  readonly arranged: Arrangement;
  /** What an allocation is stands above its stack. */
  readonly categoryFirst: boolean;
  /** Only these; null: all. */
  readonly categories: readonly Category[] | null;
}

/** A tree with what each of its nodes is made of. */
export interface ArrangedFlame extends Flame {
  /** Bytes of each node by CATEGORIES (in a comparison those of both sides). */
  readonly mix: readonly Float64Array[];
}

/** The same bytes in another arrangement, made from the tree as it was called. */
export function arranged(given: Flame, view: FlameView): ArrangedFlame {
  const sites = sitesOf(given, view);
  const made = flame(sites.after, sites.before);
  return { ...made, prunedNodes: given.prunedNodes + made.prunedNodes, mix: mixOf(made) };
}

/** Bytes by category of all that is in a tree, those with any, in the order of CATEGORIES. */
export function categoriesIn({ ends }: Flame): { category: Category; bytes: number }[] {
  const sums = CATEGORIES.map(() => [0, 0] as [number, number]);
  for (const [i, category] of ends.category.entries()) {
    sums[category]![0] += ends.bytes[i]!;
    sums[category]![1] += ends.beforeBytes?.[i] ?? 0;
  }
  return CATEGORIES.flatMap((category, i) =>
    sums[i]![0] + sums[i]![1] > 0 ? [{ category, bytes: sums[i]![0] }] : [],
  );
}

function sitesOf(given: Flame, { arranged: how, categoryFirst, categories }: FlameView) {
  const { ends, frames, frame, parent, beforeBytes } = given;
  const after: CallSite[] = [];
  const before: CallSite[] | null = beforeBytes ? [] : null;
  const paths = new Map<number, readonly Frame[]>();
  const pathOf = (node: number): readonly Frame[] => {
    let path = paths.get(node);
    if (!path) {
      const called: Frame[] = [];
      for (let at = node; at >= 0; at = parent[at]!) called.unshift(frames[frame[at]!]!);
      path = ARRANGE[how](called);
      paths.set(node, path);
    }
    return path;
  };
  for (const [i, node] of ends.node.entries()) {
    const category = CATEGORIES[ends.category[i]!]!;
    if (categories && !categories.includes(category)) continue;
    const path = categoryFirst ? [label(kindName(category)), ...pathOf(node)] : pathOf(node);
    const site = { path, category, bytes: ends.bytes[i]!, allocations: ends.allocations[i]! };
    if (site.bytes > 0 || site.allocations > 0) after.push(site);
    const was = ends.beforeBytes?.[i] ?? 0;
    if (was > 0) before?.push({ ...site, bytes: was, allocations: 0 });
  }
  return { after, before };
}

const label = (text: string): Frame => ({ function: text, file: '', line: 0 });

const TIERS = ['program', 'package', 'framework', 'native'] as const;

const ARRANGE: Readonly<Record<Arrangement, (called: readonly Frame[]) => readonly Frame[]>> = {
  own(called) {
    const said = worthReading(called);
    return TIERS.flatMap((tier) => said.filter((frame) => ownerOf(frame) === tier));
  },
  called: (called) => called,
  callees: (called) => worthReading(called).toReversed(),
  modules(called) {
    const place = placeOf(called.toReversed());
    if (!place) return called;
    const { site, caller, inner } = place;
    const file = { function: fileName(site.file), file: site.file, line: 0 };
    const tag = called.at(-1)!.file === '' ? [called.at(-1)!] : [];
    const done = inner === site ? [] : [inner];
    return [label(packageOf(site.file) ?? OWN), file, site, ...done, ...from(caller), ...tag];
  },
};

/** What is no package's. */
const OWN = "the program's own code";

const from = (caller: Frame | null): Frame[] =>
  caller ? [{ ...caller, function: `from ${caller.function}` }] : [];

/** Frames that say something, a recursion once; all where none does. */
function worthReading(called: readonly Frame[]): readonly Frame[] {
  const said = called.filter((frame, i) => !isPassThrough(frame) && frame !== called[i - 1]);
  return said.length > 0 ? said : called;
}

/** Below its package, or its last two parts. */
function fileName(file: string): string {
  const parts = file.split('/').filter(Boolean);
  const installed = parts.findLastIndex((part) => /^(site|dist)-packages$/.test(part));
  return (installed >= 0 ? parts.slice(installed + 2) : parts.slice(-2)).join('/') || file;
}

function mixOf({ parent, ends }: Flame): Float64Array[] {
  const mix = CATEGORIES.map(() => new Float64Array(parent.length));
  for (const [i, node] of ends.node.entries()) {
    mix[ends.category[i]!]![node]! += ends.bytes[i]! + (ends.beforeBytes?.[i] ?? 0);
  }
  // Callees stand behind their callers, so that one pass from the back adds all up.
  for (const column of mix) {
    for (let node = parent.length - 1; node >= 0; node--) {
      if (parent[node]! >= 0) column[parent[node]!]! += column[node]!;
    }
  }
  return mix;
}
