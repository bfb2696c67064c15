import { MiB } from '../../base/bytes.ts';
import { EMPTY_STACK } from '../../model/allocations/actions.ts';
import { framesOf } from '../../model/allocations/names.ts';
import { frameworksIn, type SwitchKind, switchOf } from '../../model/frameworks.ts';
import type { Advice } from './advice.ts';
import type { CategoryShare } from './categories.ts';
import type { TraceSurvey } from './evidence/survey.ts';
import type { Fragmentation } from './fragmentation.ts';
import type { AllocationLeak } from './leaks.ts';
import { momentOf, type StepMoment } from './moment.ts';
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
  /** The most helpful first. */
  readonly fixes: readonly Fix[];
  /** How often memory ran out in the trace; this is the last. */
  readonly times: number;
}

export interface Fix {
  /** One of a fixed list, for programs. */
  readonly id: FixId;
  readonly what: string;
  /** The place in the program that `what` ends with; null where it names none. */
  readonly where: string | null;
  /** Bytes it would free, at most or about. */
  readonly bytes: number;
  /** Whether that alone would have served the request; of a setting, whether a replay of the trace runs to its end. */
  readonly enough: boolean;
}

export type FixId =
  | 'keep-no-tensors'
  | 'halve-batch'
  | 'recompute-activations'
  | 'smaller-optimizer-state'
  | 'allocator-setting'
  | 'drop-gradients';

/** Below this a fix is not worth a line. */
const WORTH = MiB;

export function failedRequest(
  survey: TraceSurvey,
  at: {
    readonly fragments: Fragmentation;
    readonly categories: readonly CategoryShare[];
    readonly topStacks: Top<StackShare>;
    readonly leak: AllocationLeak;
    readonly levels: StepBytes;
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
    fixes: fixesOf(at, moment, missing, oom.requested).map((fix) => inWordsOf(frameworks, fix)),
    times: survey.trace.ooms.length,
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

/** What a replay of the whole trace shows: enough is what gets past this request and all that follow. */
function settingFix(setting: Advice | undefined): Fix[] {
  if (!setting) return [];
  const { bytes, enough } = setting;
  const what = `set PYTORCH_CUDA_ALLOC_CONF=${setting.setting}`;
  return [{ id: 'allocator-setting', what, where: null, bytes, enough: enough ?? false }];
}

function askedAt({ trace, recording }: TraceSurvey, event: number): string | null {
  const stack = trace.stacks[event]!;
  return stack >= EMPTY_STACK ? null : describeStack(recording, stack).where;
}

function fixesOf(
  {
    fragments,
    categories,
    leak,
  }: { fragments: Fragmentation; categories: readonly CategoryShare[]; leak: AllocationLeak },
  moment: StepMoment,
  missing: number,
  requested: number,
): Fix[] {
  const held = (name: string) => categories.find(({ category }) => category === name)?.bytes ?? 0;
  const leaked = leak.stacks.reduce((sum, { bytes }) => sum + bytes, 0);
  const batch = held('activation') + held('input') + held('temporary') - leaked;
  // The request itself shrinks with the batch too, unless it is the optimizer's.
  const asked = moment.phase === 'forward' || moment.phase === 'backward' ? requested : 0;
  const [setting] = fragments.advice;
  const kept = leak.stacks[0]?.where ?? '';
  const fixes: [FixId, string, number][] = [
    ['keep-no-tensors', `keep no tensors of earlier steps: ${kept}`, leaked],
    ['halve-batch', 'halve the batch (and accumulate gradients over two)', (batch + asked) / 2],
    // Checkpoints and the layer being recomputed stay.
    [
      'recompute-activations',
      'recompute activations in the backward pass (torch.utils.checkpoint)',
      (held('activation') - leaked) * 0.7,
    ],
    [
      'smaller-optimizer-state',
      'keep the optimizer state in 8 bits, or on the host',
      held('optimizer_state') * 0.75,
    ],
  ];
  if (moment.phase === 'forward') {
    fixes.push([
      'drop-gradients',
      'drop gradients before the forward pass: zero_grad(set_to_none=True)',
      held('gradient'),
    ]);
  }
  const others = fixes
    .filter(([, , bytes]) => bytes >= WORTH)
    .map(([id, what, bytes]) => ({
      id,
      what,
      where: id === 'keep-no-tensors' && kept !== '' ? kept : null,
      bytes: Math.round(bytes),
      enough: bytes >= missing,
    }));
  return [...others, ...settingFix(setting)].sort(
    (a, b) => Number(b.enough) - Number(a.enough) || b.bytes - a.bytes,
  );
}
