import { confidenceOf, reasonsOf } from '../categories.ts';
import type { Category, Reason } from '../evidence/reasons.ts';
import type { Scene } from '../evidence/scene.ts';

/** What every allocation is taken for. */
export interface RowReasons {
  /** By row of the lifetimes: which of the reasons. */
  readonly of: Uint8Array;
  readonly reasons: readonly RowReason[];
}

export interface RowReason {
  readonly category: Category;
  readonly text: string;
  readonly confidence: number;
  readonly part: string | null;
}

const known = new WeakMap<Scene, RowReasons>();

export function rowReasons(scene: Scene): RowReasons {
  let found = known.get(scene);
  if (!found) {
    found = decide(scene);
    known.set(scene, found);
  }
  return found;
}

function decide(scene: Scene): RowReasons {
  const { life } = scene;
  const reasonOf = reasonsOf(scene);
  const numbers = new Map<Reason, number>();
  const reasons: RowReason[] = [];
  const numberOf = (reason: Reason) => {
    // A tag may give each of its allocations a reason of its own that reads the same.
    const { category, text } = reason;
    const same = reasons.findIndex((one) => one.category === category && one.text === text);
    if (same >= 0) return same;
    const confidence = confidenceOf(scene, reason);
    return reasons.push({ category, text, confidence, part: reason.part ?? null }) - 1;
  };
  const of = new Uint8Array(life.count);
  for (let row = 0; row < life.count; row++) {
    const reason = reasonOf(row);
    let number = numbers.get(reason);
    if (number === undefined) {
      number = numberOf(reason);
      numbers.set(reason, number);
    }
    of[row] = number;
  }
  return { of, reasons };
}
