import { judgeBefore } from './evidence/before.ts';
import { judgeOwn } from './evidence/own.ts';
import { byOwner, leftOver } from './evidence/owners.ts';
import { CATEGORIES, type Category, REASONS, type Reason } from './evidence/reasons.ts';
import type { Scene } from './evidence/scene.ts';
import { ROLE } from './evidence/stacks.ts';
import { byTag, hasTagsAlone } from './evidence/tags.ts';
import { workspaceCandidates } from './evidence/workspaces.ts';

/** What one category held. */
export interface CategoryShare {
  readonly category: Category;
  readonly bytes: number;
  readonly allocations: number;
  /** 0 to 1, weighted by bytes; 0 for what is unknown. */
  readonly confidence: number;
  /** The reason behind most of the bytes. */
  readonly reason: string;
  /** All reasons, the largest first. */
  readonly evidence: readonly { reason: string; bytes: number; confidence: number }[];
  /** Kinds shown apart, such as intermediate gradients within what is temporary. */
  readonly parts: readonly { part: string; bytes: number }[];
}

const known = new WeakMap<Scene, (row: number) => Reason>();

/**
 * Why each allocation (a row of the lifetimes) is what it is taken for: decided once for a trace,
 * for everybody who asks, and no matter in which order.
 */
export function reasonsOf(scene: Scene): (row: number) => Reason {
  let found = known.get(scene);
  if (!found) {
    found = remembered(scene.life.count, judge(scene));
    known.set(scene, found);
  }
  return found;
}

function judge(scene: Scene): (row: number) => Reason {
  const { life, roleOf } = scene;
  const tagged = byTag(scene);
  if (hasTagsAlone(scene.recording)) return (row) => tagged(row) ?? REASONS.untold;
  const workspaces = workspaceCandidates(scene);
  const [own, before] = [judgeOwn(scene, workspaces), judgeBefore(scene, workspaces)];
  const owned = byOwner(scene);
  // What the program's objects say, unless the trace says the same and more.
  const isSurer = (owner: Reason, reason: Reason) =>
    owner.category !== reason.category ||
    (reason !== REASONS.keptOn && confidenceOf(scene, reason) < 0.9);
  return (row) => {
    const tag = tagged(row);
    if (tag && roleOf(row) === ROLE.none) return tag;
    const reason = row < life.allocs ? own(row) : before(row);
    const owner = owned(row);
    if (owner && isSurer(owner, reason)) return owner;
    if (tag && reason.category === 'unknown') return tag;
    return leftOver(scene, row, reason) ?? reason;
  };
}

/** Rows are decided when they are asked for: a report looks at few of a trace's millions. */
function remembered(rows: number, decide: (row: number) => Reason): (row: number) => Reason {
  // Numbers from 1: 0 is not yet decided.
  const decided = new Uint32Array(rows);
  const numbers = new Map<Reason, number>();
  const reasons: Reason[] = [];
  return (row) => {
    const number = decided[row]!;
    if (number > 0) return reasons[number - 1]!;
    const reason = decide(row);
    let own = numbers.get(reason);
    if (own === undefined) {
      own = reasons.push(reason);
      numbers.set(reason, own);
    }
    decided[row] = own;
    return reason;
  };
}

/** How far phases can be trusted, by what tells them. */
const TRUST: Readonly<Record<Scene['phases']['source'], number>> = {
  'call stacks': 1,
  'annotations and lifetimes': 0.8,
  lifetimes: 0.5,
  none: 0.5,
};

const rounded = (share: number) => Math.round(share * 100) / 100;

/** How sure one reason is in this trace, 0 to 1. */
export const confidenceOf = ({ phases }: Scene, { confidence, byItself }: Reason): number =>
  rounded(confidence * (byItself ? 1 : TRUST[phases.source]));

/** What was live after an event, by category, the largest first; categories without bytes are left out. */
export function categories(scene: Scene, live: Uint32Array): CategoryShare[] {
  const { life, phases } = scene;
  const reasonOf = reasonsOf(scene);
  const sums = new Map<Reason, { bytes: number; allocations: number }>();
  for (const row of live) {
    const reason = reasonOf(row);
    const sum = sums.get(reason) ?? { bytes: 0, allocations: 0 };
    sum.bytes += life.size[row]!;
    sum.allocations++;
    sums.set(reason, sum);
  }
  return CATEGORIES.flatMap((category) => share(category, sums, TRUST[phases.source])).sort(
    (a, b) => b.bytes - a.bytes,
  );
}

function share(
  category: Category,
  sums: ReadonlyMap<Reason, { bytes: number; allocations: number }>,
  trust: number,
): CategoryShare[] {
  const mine = [...sums]
    .filter(([reason]) => reason.category === category)
    .sort((a, b) => b[1].bytes - a[1].bytes);
  if (mine.length === 0) return [];
  const add = (of: (entry: (typeof mine)[number]) => number) =>
    mine.reduce((sum, entry) => sum + of(entry), 0);
  const bytes = add(([, sum]) => sum.bytes);
  const sure = (reason: Reason) => reason.confidence * (reason.byItself ? 1 : trust);
  const weighted = add(([reason, sum]) => sure(reason) * sum.bytes);
  const parts = new Map<string, number>();
  for (const [{ part }, sum] of mine) {
    if (part) parts.set(part, (parts.get(part) ?? 0) + sum.bytes);
  }
  return [
    {
      category,
      bytes,
      allocations: add(([, sum]) => sum.allocations),
      confidence: bytes > 0 ? rounded(weighted / bytes) : 0,
      reason: mine[0]![0].text,
      evidence: mine.map(([reason, sum]) => ({
        reason: reason.text,
        bytes: sum.bytes,
        confidence: rounded(sure(reason)),
      })),
      parts: [...parts]
        .map(([part, held]) => ({ part, bytes: held }))
        .sort((a, b) => b.bytes - a.bytes),
    },
  ];
}
