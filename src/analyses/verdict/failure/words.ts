import { formatBytes } from '../../../base/bytes.ts';
import type { Certainty } from '../../../model/verdict.ts';
import type { FailureCause } from '../../allocations/failure/fixes.ts';
import type { RankedCause } from '../../allocations/failure/ranked-cause.ts';
import type { ProgramWork } from '../../allocations/failure/work.ts';

type Words = (bytes: string, work: ProgramWork) => string;

const step = ({ does }: ProgramWork) => (does === 'serves' ? 'forward passes' : 'steps');

const CAUSES: Readonly<Record<FailureCause, Words>> = {
  'other-process': (bytes) => `other processes held ${bytes} of the card`,
  limit: () => "the program's own limit stopped it",
  'kept-tensors': (bytes, work) => `${bytes} of tensors were kept from earlier ${step(work)}`,
  'growing-cache': (bytes) => `a cache had grown to ${bytes}`,
  'graph-pools': (bytes) => `CUDA graphs held ${bytes} in pools of their own`,
  fragmentation: (bytes) => `${bytes} were unused, but in pieces`,
  activations: (bytes, work) =>
    ({
      serves: `one forward pass needs ${bytes}`,
      trains: `one step makes ${bytes} at once`,
      unknown: `what the program made takes ${bytes}`,
    })[work.does],
  logits: (bytes) => `${bytes} are the last layer's output, its loss and their gradients`,
  'evaluation-with-gradients': (bytes) =>
    `an evaluation kept ${bytes} for a backward pass that never comes`,
  'optimizer-state': (bytes) => `the optimizer's state needs ${bytes}`,
  loading: (bytes) => `${bytes} of a checkpoint were loaded beside the model`,
  workspaces: (bytes) => `libraries held ${bytes} of scratch memory`,
  context: (bytes) => `${bytes} of context, libraries and NCCL lay beside torch's allocator`,
  'too-large': (bytes) => `the model itself takes ${bytes}`,
};

/** One cause in a few words. */
export const causeInWords = ({ id, bytes, limitOf }: RankedCause, work: ProgramWork): string =>
  limitOf === 'slice'
    ? `the program had a slice of the card, which has ${formatBytes(bytes)} more`
    : CAUSES[id](formatBytes(bytes), work);

const LIKELY = 0.75;
/** Below this nothing is named as the cause. */
export const POSSIBLE = 0.35;
/** So close two are both named. */
const CLOSE = 0.2;

/** Why memory ran out, for a sentence: the surest cause, and another that is close; '' where none is likely. */
export function whyWords(causes: readonly RankedCause[], work: ProgramWork): string {
  const [first, second] = causes;
  if (!first || first.certainty < POSSIBLE) return '';
  const words = causeInWords(first, work);
  if (first.certainty >= LIKELY) return words;
  const close = second && first.certainty - second.certainty <= CLOSE;
  return close ? `perhaps ${words}, or ${causeInWords(second, work)}` : `perhaps ${words}`;
}

export const certaintyOf = (certainty: number): Certainty =>
  certainty >= LIKELY ? 'likely' : 'possible';
