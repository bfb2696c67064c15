import type { Lifetimes } from '../../../model/allocations/lifetimes.ts';
import { firstRowFrom } from '../../../model/allocations/lifetimes.ts';
import type { DeviceTrace } from '../../../model/allocations/trace.ts';
import type { OptimizerCalls } from './annotations.ts';
import { PHASE, type PhaseList } from './phases.ts';

/** A pass keeps at least this many tensors alive at its height. */
const FEWEST = 3;
/** A valley this low, against the height before it, ends a backward pass. */
const VALLEY = 0.2;

/** Bytes of one number. */
const SCALAR = 8;
/** How many tensors the backward pass may make before it frees the first. */
const NEAR_TOP = 6;

/**
 * Forward and backward passes where no stack tells them: a forward pass piles up tensors, the
 * backward pass takes them down again. Steps of the optimizer, where known, part the stretches.
 */
export function passesFromLifetimes(
  trace: DeviceTrace,
  life: Lifetimes,
  calls: OptimizerCalls,
): PhaseList {
  const list: PhaseList = { kind: [], start: [] };
  const height = new Int32Array(trace.events + 1);
  let from = 0;
  for (let call = 0; call <= calls.start.length; call++) {
    const last = call === calls.start.length;
    const to = last ? trace.events : calls.start[call]!;
    if (to > from) passes(list, life, liveCounts(life, height, from, to), from, to);
    if (last) break;
    list.kind.push(PHASE.optimizer);
    list.start.push(to);
    from = calls.end[call]!;
  }
  return list;
}

/** How many tensors that are made and freed within [from, to) live after each of its events. */
function liveCounts(life: Lifetimes, height: Int32Array, from: number, to: number): Int32Array {
  height.fill(0, from, to);
  for (let row = firstRowFrom(life, from); row < life.allocs && life.start[row]! < to; row++) {
    if (life.end[row]! >= to) continue;
    height[life.start[row]!]!++;
    height[life.end[row]!]!--;
  }
  for (let event = from + 1; event < to; event++) height[event]! += height[event - 1]!;
  return height;
}

function passes(
  list: PhaseList,
  life: Lifetimes,
  height: Int32Array,
  from: number,
  to: number,
): void {
  let [begin, top, topAt, low, lowAt] = [from, 0, from, Number.POSITIVE_INFINITY, from];
  const emit = () => {
    list.kind.push(PHASE.forward);
    list.start.push(begin);
    if (top < FEWEST) return;
    list.kind.push(PHASE.backward);
    list.start.push(turningPoint(life, height, begin, topAt));
  };
  for (let event = from; event < to; event++) {
    const now = height[event]!;
    if (now > top && low === Number.POSITIVE_INFINITY) [top, topAt] = [now, event];
    else if (top >= FEWEST && now <= top * VALLEY && now <= low) [low, lowAt] = [now, event];
    else if (now > Math.max(low * 2, top / 2)) {
      emit();
      [begin, top, topAt, low] = [lowAt + 1, now, event, Number.POSITIVE_INFINITY];
    }
  }
  emit();
}

/**
 * Where the backward pass begins: with the gradient of a single number, the loss. It lies a few
 * tensors before the very top, as the first gradients come before the first frees.
 */
function turningPoint(life: Lifetimes, height: Int32Array, begin: number, topAt: number): number {
  const near = height[topAt]! - NEAR_TOP;
  for (let row = firstRowFrom(life, topAt + 1) - 1; row >= 0; row--) {
    const event = life.start[row]!;
    if (event < begin || height[event]! < near) break;
    if (life.size[row]! <= SCALAR) return event;
  }
  return topAt + 1;
}
