import { OWNER } from '../../../model/allocations/actions.ts';
import { firstRowFrom } from '../../../model/allocations/lifetimes.ts';
import { PHASE, phaseAt, phaseEnd } from '../evidence/phases.ts';
import { ROLE } from '../evidence/stacks.ts';
import type { TraceSurvey } from '../evidence/survey.ts';

/** A forward pass that keeps its results for a backward pass, though none of its kind was ever followed by one. */
export interface EvaluationPass {
  /** What it had kept when memory ran out. */
  readonly keptBytes: number;
  /** Of that, results that keep their graph as the program's objects tell; null: nobody looked. */
  readonly graphBytes: number | null;
  /** Backward passes before it, none of which came from the lines that run now. */
  readonly trainedPasses: number;
  /** Rows of what it kept. */
  readonly rows: readonly number[];
}

/** Fewer steps show no habit. */
const FEWEST_TRAINED = 3;
/** Of what the pass made, kept at least: without gradients a layer's result goes when the next is made. */
const KEPT = 0.6;
/** Fewer blocks may be the two that a layer reads and writes, with their like. */
const FEWEST_BLOCKS = 5;

export function evaluationPass(survey: TraceSurvey, event: number): EvaluationPass | null {
  const { phases, life, roleOf, trace } = survey;
  const at = phaseAt(phases, event);
  if (at < 0 || phases.kind[at] !== PHASE.forward) return null;
  const trained = phases.kind
    .subarray(0, at)
    .reduce((n, kind) => n + Number(kind === PHASE.backward), 0);
  if (trained < FEWEST_TRAINED) return null;
  const ofTraining = stacksBeforeBackward(survey, at);
  let made = 0;
  const rows: number[] = [];
  for (let row = firstRowFrom(life, phases.start[at]!); row < life.allocs; row++) {
    if (life.start[row]! >= event) break;
    if (roleOf(row) !== ROLE.forward) continue;
    // The training's own lines run: a backward pass is about to follow.
    if (ofTraining.has(life.stack[row]!)) return null;
    made += life.size[row]!;
    if (life.end[row]! > event) rows.push(row);
  }
  const owner = (row: number) => {
    const block = life.blockOf(row);
    return block < 0 ? OWNER.untold : trace.blocks.owner[block]!;
  };
  const sum = (of: readonly number[]) => of.reduce((bytes, row) => bytes + life.size[row]!, 0);
  const kept = sum(rows);
  const looked = rows.some((row) => owner(row) !== OWNER.untold);
  const graphed = sum(rows.filter((row) => owner(row) === OWNER.activation));
  // A graph among the program's objects is proof; without a look, that most of it stays is a sign.
  const keeps = looked ? graphed >= kept / 2 : rows.length >= FEWEST_BLOCKS && kept >= KEPT * made;
  if (kept === 0 || !keeps) return null;
  return { keptBytes: kept, graphBytes: looked ? graphed : null, trainedPasses: trained, rows };
}

/**
 * Who makes what in forward passes that a backward pass follows: at once, or after others of the same step (pairs, several heads), which
 * shows by what lives until then.
 */
function stacksBeforeBackward({ phases, life, trace }: TraceSurvey, upTo: number): Set<number> {
  const found = new Set<number>();
  for (let at = 0; at < upTo; at++) {
    if (phases.kind[at] !== PHASE.forward) continue;
    const backward = phases.kind.subarray(0, upTo).indexOf(PHASE.backward, at);
    if (backward < 0) break;
    const end = phaseEnd(phases, at, trace.events);
    for (let row = firstRowFrom(life, phases.start[at]!); row < life.allocs; row++) {
      if (life.start[row]! >= end) break;
      const waits = backward === at + 1 || life.end[row]! > phases.start[backward]!;
      if (waits) found.add(life.stack[row]!);
    }
  }
  return found;
}
