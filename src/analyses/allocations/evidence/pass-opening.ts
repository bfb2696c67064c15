import { ROLE, type Role, type StackEvidence } from './stacks.ts';

/** Equal layers in a row repeat their own few stacks; a whole pass has more. */
const FEWEST_STACKS = 3;

/**
 * Parts forward passes that follow one another without a backward pass (evaluation, generation):
 * the call that opened the first opens each of them, and what user code makes just before is input.
 */
export class PassOpening {
  /** Where the user code that directly precedes began to allocate; -1: nothing precedes. */
  preparedAt = -1;
  private stack = -1;
  private frame = -1;
  private inside = false;
  private readonly since = new Set<number>();

  private readonly stacks: StackEvidence;

  constructor(stacks: StackEvidence) {
    this.stacks = stacks;
  }

  /** The forward pass is over. */
  leave(): void {
    this.inside = false;
    this.preparedAt = -1;
  }

  /** Whether an allocation in a forward stretch begins another pass. */
  isNewPass(stack: number, event: number, role: Role): boolean {
    if (role !== ROLE.forward) {
      if (role === ROLE.user && this.preparedAt < 0) this.preparedAt = event;
      return false;
    }
    const frame = this.stacks.pythonFrame(stack);
    if (!this.inside) {
      [this.inside, this.stack, this.frame, this.preparedAt] = [true, stack, frame, -1];
      this.since.clear();
      return false;
    }
    // Another caller (an evaluation function) reaches the model by another stack.
    const prepared = this.preparedAt >= 0 && frame === this.frame;
    const again = prepared || (stack === this.stack && this.since.size >= FEWEST_STACKS);
    if (again) this.since.clear();
    else {
      this.preparedAt = -1;
      this.since.add(stack);
    }
    return again;
  }
}
