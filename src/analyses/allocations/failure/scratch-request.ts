import { EMPTY_STACK, OWNER } from '../../../model/allocations/actions.ts';
import { firstRowFrom, releasedAt } from '../../../model/allocations/lifetimes.ts';
import { ROLE, stackEvidence } from '../evidence/stacks.ts';
import { streamWorkspaces } from '../evidence/stream-workspaces.ts';
import type { TraceSurvey } from '../evidence/survey.ts';

/** So many earlier calls have to show the same. */
const FEWEST_CALLS = 2;
/** The latest ones are looked at. */
const MOST_CALLS = 8;

/** Whether a request was for scratch memory of a library: by its stack, by its stream, or by what the line did with the like before. */
export function asksForScratch(survey: TraceSurvey, event: number): boolean {
  const stack = survey.trace.stacks[event]!;
  const role = stackEvidence(survey.recording).role(stack);
  if (role === ROLE.workspace || streamWorkspaces(survey).isAskedBy(event)) return true;
  // Within a pass it is what the pass needs at once, and shrinks with the batch.
  return role === ROLE.user && stack < EMPTY_STACK && wasScratchBefore(survey, event, stack);
}

/** What the line that asked had made in the same call, and nobody holds: an operation that was at work. null: nobody looked. */
export function madeInOperation({ life, trace }: TraceSurvey, event: number): number | null {
  if (trace.blocks.owner.every((owner) => owner === OWNER.untold)) return null;
  let bytes = 0;
  for (
    let row = firstRowFrom(life, event) - 1;
    row >= 0 && life.stack[row] === trace.stacks[event];
    row--
  ) {
    const owner = trace.blocks.owner[life.blockOf(row)];
    if (releasedAt(life, row) >= event && owner === OWNER.nobody) bytes += life.size[row]!;
  }
  return bytes;
}

/**
 * An operation makes its result, then asks for scratch memory and lets go of it before anything else is made. A tensor that an expression
 * only passes through is there when the next one is made of it, or has the size of what it is written to. So what the same place of
 * earlier calls asked for tells what this one is.
 */
function wasScratchBefore(survey: TraceSurvey, event: number, stack: number): boolean {
  const { life } = survey;
  const last = firstRowFrom(life, event) - 1;
  let first = last + 1;
  while (first > 0 && life.stack[first - 1] === stack) first--;
  const place = last + 1 - first;
  // The result comes first.
  if (place === 0) return false;
  let calls = 0;
  for (let end = first; end > 0 && calls < MOST_CALLS; ) {
    if (life.stack[end - 1] !== stack) {
      end--;
      continue;
    }
    let begin = end;
    while (begin > 0 && life.stack[begin - 1] === stack) begin--;
    if (end - begin > place) {
      if (!isScratch(survey, begin, begin + place)) return false;
      calls++;
    }
    end = begin;
  }
  return calls >= FEWEST_CALLS;
}

function isScratch({ life, trace }: TraceSurvey, first: number, row: number): boolean {
  const gone = releasedAt(life, row);
  const next = row + 1 < life.allocs ? life.start[row + 1]! : trace.events;
  if (gone > next) return false;
  for (let one = 0; one < life.count; one++) {
    const lives = life.start[one]! < life.start[row]! && releasedAt(life, one) >= gone;
    if (one !== row && lives && life.size[one] === life.size[row]) return false;
  }
  // The result of the call outlives it.
  return releasedAt(life, first) > gone;
}
