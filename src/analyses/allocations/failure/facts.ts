import { poolsOf } from '../../../model/allocations/names.ts';
import type { CategoryShare } from '../categories.ts';
import { reasonsOf } from '../evidence/row-reasons.ts';
import { streamWorkspaces } from '../evidence/stream-workspaces.ts';
import type { TraceSurvey } from '../evidence/survey.ts';
import type { AllocationLeak } from '../leaks.ts';
import { replay } from '../replay/replay.ts';
import { requestOf } from '../replay/requests.ts';
import type { StepBytes } from '../step-bytes.ts';
import { describeStack } from '../top-stacks.ts';
import { evaluationPass } from './evaluation-pass.ts';
import { type Fix, fixesFor } from './fixes.ts';
import { type OptimizerNeed, optimizerNeed } from './optimizer-need.ts';
import { PARTS, type RowParts, rowParts } from './parts.ts';
import { type RecordedProgram, recordedProgram } from './recorded-program.ts';
import { madeInOperation } from './scratch-request.ts';
import { type StepNeed, stepNeed } from './step-need.ts';
import { trialOf } from './trial.ts';
import { programWork } from './work.ts';

/** Tensors of earlier steps, of lines that leave some in step after step. */
export interface KeptTensors {
  readonly bytes: number;
  readonly blocks: number;
  readonly bytesPerStep: number;
  /** Over so many steps of the trace; what was there before it is of the same lines. */
  readonly steps: number;
  /** The line that leaves most. */
  readonly where: string;
  /** It is one tensor that is made anew and larger each time, the request among them. */
  readonly anew: boolean;
}

interface Moment {
  readonly event: number;
  readonly live: Uint32Array;
  readonly categories: readonly CategoryShare[];
  readonly leak: AllocationLeak;
  readonly levels: StepBytes;
  readonly phase: string | null;
  /** Of the request, beyond what was there for it. */
  readonly missing: number;
}

/** What filled a device when a request failed, and what would have helped. */
export function failureFacts(survey: TraceSurvey, moment: Moment) {
  const { trace, life, recording } = survey;
  const { event, live, leak, categories } = moment;
  const parts = rowParts(survey, event, live, leak);
  const held = (name: string) => categories.find(({ category }) => category === name)?.bytes ?? 0;
  const work = programWork(survey, live, held);
  const evaluation = evaluationPass(survey, event);
  const optimizer = optimizerNeed(survey, event, parts);
  const recorded = recordedProgram(recording, trace);
  const requested = requestOf(trace.ooms, trace.ooms.length - 1);
  const need = stepNeed(survey, moment.levels, event);
  const largest = live.reduce((most, row) => Math.max(most, life.size[row]!), 0);
  const inUse = live.reduce((sum, row) => sum + life.size[row]!, 0);
  const rest = restOf(moment.phase, parts, optimizer, largest);
  const startOf = (row: number) => life.start[row]!;
  const reasonOf = reasonsOf(survey);
  const kept = keptTensors(survey, leak, parts);
  const fixes: Fix[] = fixesFor(
    {
      work,
      parts,
      evaluation,
      optimizer,
      requested,
      missing: moment.missing,
      keeper: kept?.where ?? '',
      phase: moment.phase,
      streams: streamWorkspaces(survey).rows.size,
      sizeOf: parts.sizeOf,
      startOf,
      isOptimizerScratch: (row) => reasonOf(row).part === 'optimizer scratch',
    },
    trialOf(recorded, event, need, rest, startOf),
  );
  const { rows: _, ...pass } = evaluation ?? { rows: [] };
  return {
    fixes,
    facts: {
      work,
      parts: PARTS.map((part) => ({
        part,
        bytes: parts.bytes(part),
        blocks: parts.rows(part).length,
      }))
        .filter(({ bytes }) => bytes > 0)
        .sort((a, b) => b.bytes - a.bytes),
      askedPart: parts.asked,
      operationBytes: madeInOperation(survey, event),
      kept,
      evaluation: evaluation && (pass as Omit<typeof evaluation, 'rows'>),
      optimizer: optimizer && {
        stateBytes: optimizer.stateBytes,
        toComeBytes: optimizer.toCome.reduce((sum, bytes) => sum + bytes, requested),
        scratchBytes: optimizer.scratchBytes,
      },
      privatePools: privatePools(survey),
      needed: neededBytes(recorded, event, {
        restBytes: need ? restOfKnown(need, inUse + requested) : rest,
        stepBytes: need && wholeStep(need, inUse + requested),
      }),
    },
  };
}

function keptTensors(
  { recording }: TraceSurvey,
  leak: AllocationLeak,
  parts: RowParts,
): KeptTensors | null {
  const bytes = parts.bytes('kept');
  const blocks = parts.rows('kept').length;
  if (parts.anew) {
    const { stack, bytesEach, times } = parts.anew;
    const { where } = describeStack(recording, stack);
    return { bytes, blocks, bytesPerStep: bytesEach, steps: times, where, anew: true };
  }
  const [most] = leak.stacks;
  if (bytes === 0 || !most) return null;
  return {
    bytes,
    blocks,
    anew: false,
    bytesPerStep: leak.requestedPerStep!,
    steps: leak.steps,
    where: most.where,
  };
}

/**
 * What a step that never ran before still asks for, at most. In the backward pass: the gradients that are missing, two tensors of state
 * for each parameter, as much scratch memory as there are parameters, and two more of the largest blocks. Of a forward pass nobody knows.
 */
function restOf(
  phase: string | null,
  parts: RowParts,
  optimizer: OptimizerNeed | null,
  largest: number,
): number | null {
  if (optimizer) {
    return optimizer.toCome.reduce((sum, bytes) => sum + bytes, optimizer.scratchBytes);
  }
  if (phase !== 'backward') return null;
  const parameters = parts.bytes('parameter');
  const gradients = Math.max(0, parameters - parts.bytes('gradient'));
  const state = Math.max(0, 2 * parameters - parts.bytes('optimizer-state'));
  return gradients + state + parameters + 2 * largest;
}

/** Of a step like those before it. */
const restOfKnown = ({ startBytes, needBytes, times }: StepNeed, inUse: number) =>
  Math.max(0, startBytes + needBytes * times - inUse);

/** The most that such a step has in use at once, about; at least what it had. */
const wholeStep = ({ startBytes, needBytes, typicalTimes }: StepNeed, inUse: number) =>
  typicalTimes === null ? null : Math.round(Math.max(inUse, startBytes + needBytes * typicalTimes));

function privatePools({ recording, trace }: TraceSurvey) {
  const pools = poolsOf(recording);
  const own = new Map<string, number>();
  for (let segment = 0; segment < trace.segments.count; segment++) {
    const id = pools[trace.segments.pool[segment]!]?.pool;
    if (!id || (id[0] === 0 && id[1] === 0)) continue;
    const key = id.join(',');
    own.set(key, (own.get(key) ?? 0) + trace.segments.size[segment]!);
  }
  if (own.size === 0) return null;
  return { pools: own.size, reservedBytes: [...own.values()].reduce((a, b) => a + b, 0) };
}

function neededBytes(
  recorded: RecordedProgram | null,
  event: number,
  step: { readonly restBytes: number | null; readonly stepBytes: number | null },
) {
  if (!recorded || recorded.run.replayed.diesAt !== event) return null;
  const { program, run } = recorded;
  const free = replay(program, { conf: run.conf, limit: null, start: 'placed' });
  const roomBytes = program.limit?.bytes ?? null;
  return { reservedBytes: free.reservedPeakBytes, roomBytes, ...step };
}
