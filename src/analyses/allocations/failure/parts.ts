import { poolsOf } from '../../../model/allocations/names.ts';
import { PHASE, phaseAt } from '../evidence/phases.ts';
import { reasonsOf } from '../evidence/row-reasons.ts';
import { ROLE, stackEvidence } from '../evidence/stacks.ts';
import { stepAt } from '../evidence/steps.ts';
import { streamWorkspaces } from '../evidence/stream-workspaces.ts';
import type { TraceSurvey } from '../evidence/survey.ts';
import type { AllocationLeak } from '../leaks.ts';
import { copiesLoaded } from './loaded-twice.ts';
import { lossBlocks } from './loss-blocks.ts';
import { type MadeAnew, madeAnew } from './made-anew.ts';
import { asksForScratch } from './scratch-request.ts';

/** What one block was when memory ran out: of several that fit, the first. */
export const PARTS = [
  'private-pool',
  'kept',
  'loaded',
  'logits',
  'parameter',
  'gradient',
  'optimizer-state',
  'workspace',
  'pass',
  'earlier',
  'unknown',
] as const;
export type Part = (typeof PARTS)[number];

/** What filled the memory when a request failed, row by row. */
export interface RowParts {
  /** Live rows of a part. */
  rows(part: Part): readonly number[];
  bytes(part: Part): number;
  sizeOf(row: number): number;
  /** Which part the request itself would have belonged to. */
  readonly asked: Part;
  /** The tensor that the request would have made anew and larger; null: it was no such request. */
  readonly anew: MadeAnew | null;
}

export function rowParts(
  survey: TraceSurvey,
  event: number,
  live: Uint32Array,
  leak: AllocationLeak,
): RowParts {
  const { life, trace, recording } = survey;
  const reasonOf = reasonsOf(survey);
  const pools = poolsOf(recording);
  const isPrivate = pools.map(({ pool }) => pool !== null && (pool[0] !== 0 || pool[1] !== 0));
  const begins = passBegins(survey, event);
  const growing = new Set(leak.verdict === 'leak' ? leak.stacks.map(({ stack }) => stack) : []);
  const anew = madeAnew(survey, event);
  const loaded = copiesLoaded(survey, live);
  const logits = lossBlocks(survey, event, live);
  const poolOf = segmentPools(survey);
  const ofStreams = streamWorkspaces(survey).rows;
  const partOf = (row: number): Part => {
    if (isPrivate[life.poolOf(row)] || poolOf(row)) return 'private-pool';
    // They grow with the streams, not with steps.
    if (ofStreams.has(row)) return 'workspace';
    // The latest step would have let go of its own in its turn.
    if (growing.has(life.stack[row]!) && life.start[row]! < begins) return 'kept';
    if (anew?.stack === life.stack[row]) return 'kept';
    if (loaded.rows.has(row)) return 'loaded';
    if (logits.rows.has(row)) return 'logits';
    switch (reasonOf(row).category) {
      case 'parameter':
        return 'parameter';
      case 'gradient':
        return 'gradient';
      case 'optimizer_state':
        return 'optimizer-state';
      case 'workspace':
        return 'workspace';
      case 'unknown':
        return 'unknown';
      default:
        return life.start[row]! >= begins ? 'pass' : 'earlier';
    }
  };
  const groups = new Map<Part, number[]>(PARTS.map((part) => [part, []]));
  for (const row of live) groups.get(partOf(row))!.push(row);
  const role = stackEvidence(recording).role(trace.stacks[event]!);
  const asked: Part = isPrivate[trace.pools[event]!]
    ? 'private-pool'
    : anew
      ? 'kept'
      : loaded.asked(event)
        ? 'loaded'
        : logits.asked
          ? 'logits'
          : role === ROLE.optimizerState
            ? 'optimizer-state'
            : role === ROLE.setup
              ? 'parameter'
              : asksForScratch(survey, event)
                ? 'workspace'
                : 'pass';
  return {
    rows: (part) => groups.get(part)!,
    bytes: (part) => groups.get(part)!.reduce((sum, row) => sum + life.size[row]!, 0),
    sizeOf: (row) => life.size[row]!,
    asked,
    anew,
  };
}

/** The first event of the step in which memory ran out, with the making of its inputs; -1 in the first step that is seen. */
function passBegins({ steps, phases }: TraceSurvey, event: number): number {
  const step = stepAt(steps, event);
  if (step < 1) return -1;
  const start = steps.start[step]!;
  const before = phaseAt(phases, start - 1);
  const prepares = before >= 0 && phases.kind[before] === PHASE.between;
  return prepares ? Math.max(phases.start[before]!, steps.start[step - 1]!) : start;
}

/** Older traces tell the pool of the segments at the end only. */
function segmentPools({ recording, trace, life }: TraceSurvey): (row: number) => boolean {
  const pools = poolsOf(recording);
  const own = Array.from(trace.segments.pool, (pool) => {
    const id = pools[pool]?.pool;
    return id ? id[0] !== 0 || id[1] !== 0 : false;
  });
  if (!own.includes(true)) return () => false;
  return (row) => {
    const block = life.blockOf(row);
    return block >= 0 && (own[trace.blocks.segment[block]!] ?? false);
  };
}
