import type { Lifetimes } from '../../../model/allocations/lifetimes.ts';
import { firstRowFrom, releasedAt } from '../../../model/allocations/lifetimes.ts';
import { PHASE, type Phases, phaseAt, phaseEnd } from './phases.ts';
import { ROLE, type RowRole } from './stacks.ts';
import { stepAt, type TrainingSteps } from './steps.ts';

/** How many allocations of each size. */
export type Counts = Map<number, number>;

/**
 * Sizes as evidence: a gradient has its parameter's size, and so has each kind of optimizer state.
 * What one of the three is proven to be tells what the others are.
 */
export interface Sizes {
  /** Made while a model was built or moved, and kept. */
  readonly built: Counts;
  /** Outlived the backward pass that made them: the most of any one step. */
  readonly gradients: Counts;
  /** Outlived the optimizer step that made them. */
  readonly states: Counts;
  /** There before the trace, and kept beyond the point where older gradients are dropped. */
  readonly before: Counts;
  /** That point: what was there before and outlives this event is no gradient. */
  readonly settled: number;
}

export function sizesOf(
  life: Lifetimes,
  phases: Phases,
  steps: TrainingSteps,
  roleOf: RowRole,
  events: number,
): Sizes {
  const found: Sizes = {
    built: new Map(),
    gradients: new Map(),
    states: new Map(),
    before: new Map(),
    settled: settledAt(phases, events),
  };
  let ofStep: Counts = new Map();
  let [step, at] = [-1, -1];
  for (let row = 0; row < life.allocs; row++) {
    const start = life.start[row]!;
    while (at + 1 < phases.count && phases.start[at + 1]! <= start) at++;
    if (at < 0) continue;
    const kind = phases.kind[at]!;
    if (kind === PHASE.between || releasedAt(life, row) < phaseEnd(phases, at, events)) continue;
    if (releasedAt(life, row) >= events && at === phases.count - 1 && kind === PHASE.backward)
      continue;
    const role = roleOf(row);
    if (role === ROLE.workspace) continue;
    if (role === ROLE.setup) add(found.built, life.size[row]!);
    else if (kind === PHASE.backward && role !== ROLE.recompute) {
      const now = stepAt(steps, start);
      if (now !== step) {
        atLeast(found.gradients, ofStep);
        [step, ofStep] = [now, new Map()];
      }
      add(ofStep, life.size[row]!);
    } else if (kind === PHASE.optimizer) add(found.states, life.size[row]!);
  }
  atLeast(found.gradients, ofStep);
  for (let row = life.allocs; row < life.count; row++) {
    if (releasedAt(life, row) < found.settled || isReplaced(life, phases, row, events)) continue;
    add(found.before, life.size[row]!);
  }
  return found;
}

/**
 * Gradients from before the trace are dropped before the first backward pass begins, or, when the
 * trace begins in one or just after it, once its optimizer step is over.
 */
function settledAt({ kind, start, count }: Phases, events: number): number {
  const backward = kind.indexOf(PHASE.backward);
  const optimizer = kind.indexOf(PHASE.optimizer);
  if (backward < 0 && optimizer < 0) return events;
  const beginsLate = backward === 0 || (optimizer >= 0 && (backward < 0 || optimizer < backward));
  if (!beginsLate) return start[backward]!;
  const over = Math.max(optimizer, 0);
  for (let at = over; at < count; at++) if (kind[at] === PHASE.forward) return start[at]!;
  return over + 1 < count ? start[over + 1]! : events;
}

/** Events in which a loop over parameters frees what its last turn made and replaced. */
const LAST_FREES = 12;

/**
 * Freed inside an optimizer step that goes on to allocate: only the optimizer's own state is, where
 * each step makes it anew.
 */
export function isReplaced(life: Lifetimes, phases: Phases, row: number, events: number): boolean {
  const gone = releasedAt(life, row);
  if (gone >= events) return false;
  const at = phaseAt(phases, gone);
  if (at < 0 || phases.kind[at] !== PHASE.optimizer) return false;
  const next = firstRowFrom(life, gone);
  if (next < life.allocs && life.start[next]! < phaseEnd(phases, at, events)) return true;
  // The last one goes right after its successor came; what goes later belongs to the program's end.
  return next > 0 && gone - life.start[next - 1]! <= LAST_FREES;
}

const add = (counts: Counts, size: number) => counts.set(size, (counts.get(size) ?? 0) + 1);

function atLeast(counts: Counts, others: Counts): void {
  for (const [size, n] of others) {
    if (n > (counts.get(size) ?? 0)) counts.set(size, n);
  }
}

/** Bytes of all. */
export function total(counts: Counts): number {
  let sum = 0;
  for (const [size, n] of counts) sum += size * n;
  return sum;
}
