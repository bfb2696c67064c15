import { EMPTY_STACK } from '../../../model/allocations/actions.ts';
import { type Frame, framesOf } from '../../../model/allocations/names.ts';
import type { Counts } from '../evidence/sizes.ts';
import { ROLE, stackEvidence } from '../evidence/stacks.ts';
import type { TraceSurvey } from '../evidence/survey.ts';

/** Torch's own readers of a file; others end there too. */
const READERS = /torch\/serialization\.py$|(^|\/)safetensors\//;
const COPIERS: ReadonlySet<string> = new Set([
  'load_state_dict',
  'from_pretrained',
  '_load_from_state_dict',
]);

const isLoading = ({ file, function: name }: Frame) => READERS.test(file) || COPIERS.has(name);

/** Blocks that the loading of a checkpoint made beside others of their sizes: the model is there twice. */
export interface LoadedCopies {
  readonly rows: ReadonlySet<number>;
  /** Whether the request that failed at this event was for one more. */
  asked(event: number): boolean;
}

export function copiesLoaded(survey: TraceSurvey, live: Uint32Array): LoadedCopies {
  const { life, recording, trace, steps } = survey;
  // Once a step was taken what was loaded before it has become the model, or is kept: another story.
  const since = steps.count > 0 ? steps.start[steps.count - 1]! : 0;
  const roles = stackEvidence(recording);
  const known = new Map<number, boolean>();
  const loads = (stack: number) => {
    if (stack >= EMPTY_STACK || roles.role(stack) !== ROLE.setup) return false;
    if (!known.has(stack)) known.set(stack, framesOf(recording, stack).some(isLoading));
    return known.get(stack)!;
  };
  const built: Counts = new Map();
  for (const row of live) {
    const size = life.size[row]!;
    if (!loads(life.stack[row]!)) built.set(size, (built.get(size) ?? 0) + 1);
  }
  const rows = new Set<number>();
  for (const row of live) {
    const size = life.size[row]!;
    if (life.start[row]! < since || !loads(life.stack[row]!)) continue;
    if (!((built.get(size) ?? 0) > 0)) continue;
    built.set(size, built.get(size)! - 1);
    rows.add(row);
  }
  return { rows, asked: (event) => rows.size > 0 && loads(trace.stacks[event]!) };
}
