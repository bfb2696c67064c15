import { EMPTY_STACK } from '../../../model/allocations/actions.ts';
import { type Lifetimes, releasedAt } from '../../../model/allocations/lifetimes.ts';
import type { DeviceTrace } from '../../../model/allocations/trace.ts';
import type { Recording } from '../../../model/recording.ts';
import { type OptimizerCalls, optimizerCalls } from './annotations.ts';
import { PHASE, type PhaseList, type Phases, type TrainingPhase } from './phases.ts';
import { passesFromLifetimes } from './phases-from-lifetimes.ts';
import { ROLE, type Role, type RowRole, type StackEvidence, stackEvidence } from './stacks.ts';
import { hasTagsAlone } from './tags.ts';

export function findPhases(
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
  const opening = new PassOpening(stacks, life);
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
    else if (opening.isNewPass(row, role)) {
      const prepared = opening.takePrepared();
      if (prepared >= 0) list.turn(PHASE.between, prepared);
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

function phaseAfter(now: TrainingPhase, role: Role): TrainingPhase {
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

/** Takes down stretches in the order of their events. */
class PhaseWriter implements PhaseList {
  readonly kind: TrainingPhase[] = [];
  readonly start: number[] = [];
  /** The kind of the last stretch. */
  now: TrainingPhase = PHASE.setup;

  /** Goes on in a phase, which begins here unless it already lasts. */
  turn(kind: TrainingPhase, start: number): void {
    if (this.kind.length === 0 || this.now !== kind) this.begin(kind, start);
  }

  /** Begins a stretch, even after one of its own kind. */
  begin(kind: TrainingPhase, start: number): void {
    const last = this.kind.length - 1;
    this.now = kind;
    // An optimizer step without any event between its annotations still ends a step.
    if (last >= 0 && this.start[last]! >= start && this.kind[last] !== PHASE.optimizer) {
      this.kind[last] = kind;
      return;
    }
    if (last >= 0 && this.start[last] === start && this.kind[last] === kind) return;
    this.kind.push(kind);
    this.start.push(start);
  }
}

/** Equal layers in a row repeat their own few stacks; a whole pass has more. */
const FEWEST_STACKS = 3;
/** Of what a pass has made so far; what is kept of a pass that is over is its result alone. */
const KEPT_SHARE = 0.5;
const MOST_LOOKED_AT = 200;

/**
 * Parts forward passes that follow one another without a backward pass (evaluation, generation):
 * the call that opened the first opens each of them, and what user code makes just before is input.
 */
class PassOpening {
  /** Where the user code that directly precedes began to allocate; -1: nothing precedes. */
  private preparedAt = -1;
  private stack = -1;
  private frame = -1;
  private inside = false;
  private readonly since = new Set<number>();

  /** The row that opened the pass. */
  private opened = 0;

  private readonly stacks: StackEvidence;
  private readonly life: Lifetimes;

  constructor(stacks: StackEvidence, life: Lifetimes) {
    this.stacks = stacks;
    this.life = life;
  }

  /** The forward pass is over. */
  leave(): void {
    this.inside = false;
    this.preparedAt = -1;
  }

  /** Where the input of the pass that begins was made: of this pass, and of no later one. */
  takePrepared(): number {
    const at = this.preparedAt;
    this.preparedAt = -1;
    return at;
  }

  /** Whether an allocation in a forward stretch begins another pass. */
  isNewPass(row: number, role: Role): boolean {
    const [stack, event] = [this.life.stack[row]!, this.life.start[row]!];
    if (role !== ROLE.forward) {
      if (role === ROLE.user && this.preparedAt < 0) this.preparedAt = event;
      return false;
    }
    const frame = this.stacks.pythonFrame(stack);
    if (!this.inside) {
      [this.inside, this.stack, this.frame, this.preparedAt] = [true, stack, frame, -1];
      this.opened = row;
      this.since.clear();
      return false;
    }
    // Another caller (an evaluation function) reaches the model by another stack.
    const prepared = this.preparedAt >= 0 && frame === this.frame;
    const repeated = stack === this.stack && this.since.size >= FEWEST_STACKS;
    const again = prepared || (repeated && !this.keepsAll(row));
    if (again) {
      this.since.clear();
      this.opened = row;
    } else {
      this.preparedAt = -1;
      this.since.add(stack);
    }
    return again;
  }

  /** Equal layers of one pass look like passes too; but while all is kept for the backward pass, that pass is not over. */
  private keepsAll(row: number): boolean {
    const { life, opened } = this;
    const event = life.start[row]!;
    let [made, kept] = [0, 0];
    for (let one = Math.max(opened, row - MOST_LOOKED_AT); one < row; one++) {
      made += life.size[one]!;
      if (releasedAt(life, one) > event) kept += life.size[one]!;
    }
    return kept > made * KEPT_SHARE;
  }
}
