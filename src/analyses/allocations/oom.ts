import { EMPTY_STACK } from '../../model/allocations/actions.ts';
import { framesOf } from '../../model/allocations/names.ts';
import { frameworksIn, type SwitchKind, switchOf } from '../../model/frameworks.ts';
import type { Advice } from './advice.ts';
import type { CategoryShare } from './categories.ts';
import type { TraceSurvey } from './evidence/survey.ts';
import type { ClassOutputs } from './failure/class-outputs.ts';
import type { EvaluationPass } from './failure/evaluation-pass.ts';
import { failureFacts, type KeptTensors } from './failure/facts.ts';
import { byOutcome, type Fix, type FixId, fixOf } from './failure/fixes.ts';
import type { TensorHolder } from './failure/holders.ts';
import type { Part } from './failure/parts.ts';
import type { RankedCause } from './failure/ranked-cause.ts';
import type { ProgramWork } from './failure/work.ts';
import type { Fragmentation } from './fragmentation.ts';
import type { AllocationLeak } from './leaks.ts';
import { momentOf, type StepMoment } from './moment.ts';
import { isRepeated } from './replay/requests.ts';
import type { StepBytes } from './step-bytes.ts';
import { describeStack, type StackShare, type Top } from './top-stacks.ts';

/** Why a request failed, and what would have helped. */
export interface FailedRequest {
  readonly event: number;
  readonly moment: StepMoment;
  /** The line of the program that asked; null without a stack. */
  readonly where: string | null;
  /** Whose functions are in that stack, by id: `transformers`, `lightning` …; the owner of the loop first. */
  readonly frameworks: readonly string[];
  readonly requestedBytes: number;
  readonly deviceFreeBytes: number;
  /** Held by the allocator, in use by nobody, and of no use for this request. */
  readonly unusableBytes: number;
  readonly largestHoleBytes: number;
  readonly reservedBytes: number;
  readonly liveBytes: number;
  /** The device had room: a limit set for the process stopped it. */
  readonly limited: boolean;
  /** So many bytes were missing, at most. */
  readonly missingBytes: number;
  /** Against the peak of the step before; null without one. */
  readonly growthBytes: number | null;
  readonly categories: readonly CategoryShare[];
  readonly topStacks: Top<StackShare>;
  /** Whether the program trains or serves, and by which signs. */
  readonly work: ProgramWork;
  /** What the memory in use was for, the largest first; each block is of one part. */
  readonly parts: readonly {
    readonly part: Part;
    readonly bytes: number;
    readonly blocks: number;
  }[];
  /** The part that the request itself would have belonged to. */
  readonly askedPart: Part;
  /** What the line that asked had made in the same call and no object of the program held: of an operation at work; null: nobody looked. */
  readonly operationBytes: number | null;
  /** What grows from step to step, back to before the trace; null: nothing does. */
  readonly kept: KeptTensors | null;
  /** Tensors of the program's that were there then, by what holds them, the largest first; none where no agent looked. */
  readonly holders: readonly TensorHolder[];
  /** Results with a number for each class, by their shapes; null: there are none, or nobody looked. */
  readonly classOutputs: ClassOutputs | null;
  /** A forward pass that keeps its results for a backward pass that never follows; null: this is none. */
  readonly evaluation: Omit<EvaluationPass, 'rows'> | null;
  /** The state of an optimizer that was being made; null: none was. */
  readonly optimizer: {
    readonly stateBytes: number;
    /** Of state that was still to be made, the request with it. */
    readonly toComeBytes: number;
    readonly scratchBytes: number;
  } | null;
  /** Reserved for graphs alone. */
  readonly privatePools: { readonly pools: number; readonly reservedBytes: number } | null;
  /** What the trace would reserve with nothing to stop it; null: it cannot be replayed. */
  readonly needed: {
    readonly reservedBytes: number;
    /** What the step would still ask for after that, at most; null: nobody knows. */
    readonly restBytes: number | null;
    /** In use at the peak of the whole step, about: by steps before it, and by how much most of its blocks grew since; null: nobody knows. */
    readonly stepBytes: number | null;
    /** What the allocator could have had in all; null: not known. */
    readonly roomBytes: number | null;
  } | null;
  /** Ranked: docs/json-outputs.md. None before a report has put the trace beside what else was measured. */
  readonly causes: readonly RankedCause[];
  /** The most helpful first: those that run. */
  readonly fixes: readonly Fix[];
  /** How often memory ran out in the trace; this is the last. */
  readonly times: number;
}

export function failedRequest(
  survey: TraceSurvey,
  at: {
    readonly fragments: Fragmentation;
    readonly categories: readonly CategoryShare[];
    readonly topStacks: Top<StackShare>;
    readonly leak: AllocationLeak;
    readonly levels: StepBytes;
    readonly live: Uint32Array;
  },
): FailedRequest | null {
  const oom = survey.trace.ooms.at(-1);
  if (!oom) return null;
  const { fragments } = at;
  const unusable = fragments.reservedBytes - fragments.requestedBytes;
  const limited = oom.deviceFree >= oom.requested;
  const room = fragments.cachedBytes + (limited ? 0 : oom.deviceFree);
  const missing = Math.max(0, oom.requested - room);
  const moment = momentOf(survey, oom.event);
  const step = moment.step;
  const frameworks = frameworksIn(framesOf(survey.recording, survey.trace.stacks[oom.event]!));
  const found = failureFacts(survey, {
    ...at,
    event: oom.event,
    phase: moment.phase,
    missing,
  });
  return {
    event: oom.event,
    moment,
    where: askedAt(survey, oom.event),
    frameworks,
    requestedBytes: oom.requested,
    deviceFreeBytes: oom.deviceFree,
    unusableBytes: unusable,
    largestHoleBytes: fragments.largestHoleBytes,
    reservedBytes: fragments.reservedBytes,
    liveBytes: fragments.requestedBytes,
    limited,
    missingBytes: missing,
    growthBytes:
      step !== null && step > 1
        ? fragments.requestedBytes + oom.requested - at.levels.peakRequested[step - 2]!
        : null,
    categories: at.categories,
    topStacks: at.topStacks,
    ...found.facts,
    holders: [],
    classOutputs: null,
    causes: [],
    fixes: [...found.fixes, ...settingFix(fragments.advice[0], found.facts)]
      .sort(byOutcome)
      .map((fix) => inWordsOf(frameworks, fix)),
    times: survey.trace.ooms.filter((_, i, all) => !isRepeated(all, i)).length,
  };
}

/** With the switch that does it, where a framework that runs there has one. */
function inWordsOf(frameworks: readonly string[], fix: Fix): Fix {
  const kind = SWITCHES[fix.id];
  const words = kind ? switchOf(frameworks, kind) : null;
  return words === null ? fix : { ...fix, what: `${fix.what}; ${words}` };
}

const SWITCHES: Readonly<Partial<Record<FixId, SwitchKind>>> = {
  'halve-batch': 'batch',
  'recompute-activations': 'recompute',
  'smaller-optimizer-state': 'optimizer',
};

/**
 * What a replay of the whole trace shows: the setting gets past this request and all that follow in it. What grows runs out all the
 * same, only later, and so may what the step still asks for.
 */
function settingFix(
  setting: Advice | undefined,
  { kept, needed }: Pick<FailedRequest, 'kept' | 'needed'>,
): Fix[] {
  if (!setting) return [];
  const { bytes, enough, reservedBytes } = setting;
  const { restBytes = null, roomBytes = null } = needed ?? {};
  const left =
    kept || restBytes === null || roomBytes === null ? null : roomBytes - reservedBytes - restBytes;
  const runs = left !== null && left >= 0;
  return [
    fixOf({
      id: 'allocator-setting',
      what: `set PYTORCH_CUDA_ALLOC_CONF=${setting.setting}`,
      bytes,
      outcome: !enough ? 'dies' : runs ? 'runs' : 'unknown',
      margin: enough && runs ? Math.round(left) : null,
      against: ['fragmentation'],
    }),
  ];
}

function askedAt({ trace, recording }: TraceSurvey, event: number): string | null {
  const stack = trace.stacks[event]!;
  return stack >= EMPTY_STACK ? null : describeStack(recording, stack).where;
}
