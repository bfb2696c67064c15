import { lastUpTo } from '../../../base/search.ts';
import { EMPTY_STACK } from '../../../model/allocations/actions.ts';
import type { Lifetimes } from '../../../model/allocations/lifetimes.ts';
import type { DeviceTrace } from '../../../model/allocations/trace.ts';
import type { Recording } from '../../../model/recording.ts';
import { type OptimizerCalls, optimizerCalls } from './annotations.ts';
import { PassOpening } from './pass-opening.ts';
import { passesFromLifetimes } from './passes.ts';
import { PHASE, type Phase, type PhaseList, PhaseWriter } from './phase.ts';
import { ROLE, type Role, type StackEvidence, stackEvidence } from './stacks.ts';
import { hasTagsAlone } from './tags.ts';

export interface Phases {
  readonly count: number;
  readonly kind: Uint8Array;
  /** First event of each stretch; the next one's start, or the trace's end, ends it. */
  readonly start: Int32Array;
  /** What they were told by. */
  readonly source: 'call stacks' | 'annotations and lifetimes' | 'lifetimes' | 'none';
  readonly optimizers: readonly string[];
}

/** The role of each of the trace's own allocations; a stack without frames counts only beside others that have some. */
export type RowRole = (row: number) => Role;

export function rowRoles(recording: Recording, life: Lifetimes): RowRole {
  const evidence = stackEvidence(recording);
  const { stack, allocs } = life;
  let framed = false;
  for (let row = 0; row < allocs && !framed; row++) framed = stack[row]! < EMPTY_STACK;
  return (row) => {
    const id = stack[row]!;
    // Blocks from before the trace carry an empty stack when nobody recorded one.
    if (id === EMPTY_STACK && (!framed || row >= allocs)) return ROLE.none;
    return evidence.role(id);
  };
}

export function phases(
  recording: Recording,
  trace: DeviceTrace,
  life: Lifetimes,
  roleOf: RowRole,
): Phases {
  const calls = optimizerCalls(recording, trace);
  if (hasStacks(life)) {
    const stacks = stackEvidence(recording);
    return { ...fromStacks(trace, life, roleOf, calls, stacks), optimizers: calls.names };
  }
  const list = hasTagsAlone(recording)
    ? { start: [], kind: [] }
    : passesFromLifetimes(trace, life, calls);
  const source =
    list.kind.length === 0
      ? 'none'
      : calls.start.length > 0
        ? 'annotations and lifetimes'
        : 'lifetimes';
  return { ...columnsOf(list), source, optimizers: calls.names };
}

/** Stacks that were recorded tell more than lifetimes do, even where they tell of no training at all. */
function hasStacks({ allocs, stack }: Lifetimes): boolean {
  let framed = 0;
  for (let row = 0; row < allocs; row++) if (stack[row]! < EMPTY_STACK) framed++;
  return framed > allocs * 0.1;
}

function fromStacks(
  trace: DeviceTrace,
  life: Lifetimes,
  roleOf: RowRole,
  calls: OptimizerCalls,
  stacks: StackEvidence,
): Omit<Phases, 'optimizers'> {
  const list = new PhaseWriter();
  const opening = new PassOpening(stacks);
  let call = 0;
  for (let row = 0; row < life.allocs; row++) {
    const event = life.start[row]!;
    // Steps of the optimizer that allocate nothing are known from their annotations alone.
    for (; call < calls.start.length && calls.end[call]! <= event; call++) {
      list.turn(PHASE.optimizer, calls.start[call]!);
      list.turn(PHASE.between, calls.end[call]!);
    }
    const role = roleOf(row);
    if (call < calls.start.length && calls.start[call]! <= event && role <= ROLE.setup) {
      list.turn(PHASE.optimizer, calls.start[call]!);
      continue;
    }
    const next = phaseAfter(list.now, role);
    if (next !== PHASE.forward) opening.leave();
    else if (opening.isNewPass(life.stack[row]!, event, role)) {
      if (opening.preparedAt >= 0) list.turn(PHASE.between, opening.preparedAt);
      list.begin(PHASE.forward, event);
      continue;
    }
    list.turn(next, event);
  }
  for (; call < calls.start.length; call++) {
    list.turn(PHASE.optimizer, calls.start[call]!);
    if (calls.end[call]! < trace.events) list.turn(PHASE.between, calls.end[call]!);
  }
  joinForwards(list);
  return { ...columnsOf(list), source: 'call stacks' };
}

function phaseAfter(now: Phase, role: Role): Phase {
  switch (role) {
    case ROLE.forward:
      return PHASE.forward;
    case ROLE.backward:
    case ROLE.recompute:
      // The engine's threads also run while nothing has been computed yet: initialisation.
      return PHASE.backward;
    case ROLE.optimizer:
    case ROLE.optimizerState:
      return PHASE.optimizer;
    case ROLE.user:
    case ROLE.setup:
      return now === PHASE.backward || now === PHASE.optimizer ? PHASE.between : now;
    default:
      return now;
  }
}

/** A model without modules computes in plain user code: what directly precedes a backward pass is its forward pass. */
function joinForwards(list: PhaseList): void {
  for (let i = 0; i + 1 < list.kind.length; i++) {
    if (list.kind[i] === PHASE.between && list.kind[i + 1] === PHASE.backward) {
      const previous = list.kind[i - 1];
      // Directly after a backward pass it is a pause in the same one (hooks, clipping).
      list.kind[i] = previous === PHASE.backward ? PHASE.backward : PHASE.forward;
    }
  }
}

const columnsOf = ({ kind, start }: PhaseList) => ({
  count: kind.length,
  kind: Uint8Array.from(kind),
  start: Int32Array.from(start),
});

/** The stretch an event lies in; -1 before the first. */
export function phaseAt({ count, start }: Phases, event: number): number {
  return lastUpTo(start, event, count);
}

/** The first event after a stretch. */
export function phaseEnd(phases: Phases, at: number, events: number): number {
  return at + 1 < phases.count ? phases.start[at + 1]! : events;
}
