import { OWNER } from '../../../model/allocations/actions.ts';
import type { DeviceTrace } from '../../../model/allocations/trace.ts';
import type { Recording } from '../../../model/recording.ts';
import { reasonsBefore } from './before-trace.ts';
import { reasonsInside } from './inside-trace.ts';
import { type Category, REASONS, type Reason } from './reasons.ts';
import { ROLE } from './stacks.ts';
import { streamWorkspaces } from './stream-workspaces.ts';
import { surveyOf, type TraceSurvey } from './survey.ts';
import { byTag, hasTagsAlone } from './tags.ts';
import { workspaceCandidates } from './workspace-sizes.ts';

/** Which reason holds for a row of the lifetimes. */
type ReasonOf = (row: number) => Reason;

const decided = new WeakMap<TraceSurvey, ReasonOf>();

/**
 * Why each allocation (a row of the lifetimes) is what it is taken for: decided once for a trace,
 * for everybody who asks, and no matter in which order.
 */
export function reasonsOf(survey: TraceSurvey): ReasonOf {
  let found = decided.get(survey);
  if (!found) {
    found = remembered(survey.life.count, decideBy(survey));
    decided.set(survey, found);
  }
  return found;
}

function decideBy(survey: TraceSurvey): ReasonOf {
  const { life, roleOf } = survey;
  const tagged = byTag(survey.recording, life);
  if (hasTagsAlone(survey.recording)) return (row) => tagged(row) ?? REASONS.unknownTag;
  const workspaces = workspaceCandidates(survey);
  const ofStreams = streamWorkspaces(survey).rows;
  const [own, before] = [reasonsInside(survey, workspaces), reasonsBefore(survey, workspaces)];
  // What the program's objects say, unless the trace says the same and more.
  const isSurer = (owner: Reason, reason: Reason) =>
    owner.category !== reason.category ||
    (reason !== REASONS.keptOn && confidenceOf(survey, reason) < 0.9);
  return (row) => {
    if (ofStreams.has(row)) return REASONS.workspaceOfStream;
    const tag = tagged(row);
    if (tag && roleOf(row) === ROLE.none) return tag;
    const reason = row < life.allocs ? own(row) : before(row);
    const owner = byOwner(survey, row);
    if (owner && isSurer(owner, reason)) return owner;
    if (tag && reason.category === 'unknown') return tag;
    const found = correctedByOwner(survey, row, reason) ?? reason;
    // What a module's forward returned is a result, however long it is kept, and no input.
    return found.category === 'input' && isResult(survey, row) ? REASONS.keptResult : found;
  };
}

const isResult = ({ roleOf }: TraceSurvey, row: number) =>
  roleOf(row) === ROLE.forward || roleOf(row) === ROLE.recompute;

const BY_OWNER: ReadonlyMap<number, Reason> = new Map([
  [OWNER.parameter, REASONS.ownedParameter],
  [OWNER.gradient, REASONS.ownedGradient],
  [OWNER.optimizer_state, REASONS.ownedState],
  [OWNER.activation, REASONS.ownedActivation],
]);

/** What the program itself held a block for when the snapshot was taken, where our agent took it. */
const byOwner = (survey: TraceSurvey, row: number): Reason | null =>
  BY_OWNER.get(ownerOf(survey, row)) ?? null;

/** What is left to say of a block that the trace tells nothing of, or only a guess that its owner rules out. */
function correctedByOwner(survey: TraceSurvey, row: number, guess: Reason): Reason | null {
  const owner = ownerOf(survey, row);
  const isUnsure = guess.category === 'unknown' || guess === REASONS.parameterAssumed;
  if (owner === OWNER.nobody) return isUnsure ? REASONS.ownedByNobody : null;
  // No tensor of a program's is a library's scratch memory.
  const isNone = guess.category === 'workspace' && guess !== REASONS.workspaceStack;
  return owner === OWNER.other && (isUnsure || isNone) ? REASONS.ownedOther : null;
}

function ownerOf({ life, trace }: TraceSurvey, row: number): number {
  const block = life.blockOf(row);
  return block < 0 ? OWNER.untold : trace.blocks.owner[block]!;
}

/** Rows are decided when they are asked for: a report looks at few of a trace's millions. */
function remembered(rows: number, decide: ReasonOf): ReasonOf {
  // Numbers from 1: 0 is not yet decided.
  const numberOf = new Uint32Array(rows);
  const numbers = new Map<Reason, number>();
  const reasons: Reason[] = [];
  return (row) => {
    const number = numberOf[row]!;
    if (number > 0) return reasons[number - 1]!;
    const reason = decide(row);
    let own = numbers.get(reason);
    if (own === undefined) {
      own = reasons.push(reason);
      numbers.set(reason, own);
    }
    numberOf[row] = own;
    return reason;
  };
}

/** What an allocation (a row of the lifetimes) is taken for. */
export function categoryOf(recording: Recording, trace: DeviceTrace): (row: number) => Category {
  const reasonOf = reasonsOf(surveyOf(recording, trace));
  return (row) => reasonOf(row).category;
}

/** What every allocation is taken for. */
export interface ReasonColumn {
  /** By row of the lifetimes: which of the reasons. */
  readonly of: Uint8Array;
  readonly reasons: readonly RowReason[];
}

export interface RowReason {
  readonly category: Category;
  readonly text: string;
  readonly confidence: number;
  readonly part: string | null;
}

const columns = new WeakMap<TraceSurvey, ReasonColumn>();

export function reasonColumn(survey: TraceSurvey): ReasonColumn {
  let found = columns.get(survey);
  if (!found) {
    found = columnOf(survey);
    columns.set(survey, found);
  }
  return found;
}

function columnOf(survey: TraceSurvey): ReasonColumn {
  const { life } = survey;
  const reasonOf = reasonsOf(survey);
  const numbers = new Map<Reason, number>();
  const reasons: RowReason[] = [];
  const numberOf = (reason: Reason) => {
    // A tag may give each of its allocations a reason of its own that reads the same.
    const { category, text } = reason;
    const same = reasons.findIndex((one) => one.category === category && one.text === text);
    if (same >= 0) return same;
    const confidence = confidenceOf(survey, reason);
    return reasons.push({ category, text, confidence, part: reason.part ?? null }) - 1;
  };
  const of = new Uint8Array(life.count);
  for (let row = 0; row < life.count; row++) {
    const reason = reasonOf(row);
    let number = numbers.get(reason);
    if (number === undefined) {
      number = numberOf(reason);
      numbers.set(reason, number);
    }
    of[row] = number;
  }
  return { of, reasons };
}

/** How far phases can be trusted, by what tells them. */
const TRUST: Readonly<Record<TraceSurvey['phases']['source'], number>> = {
  'call stacks': 1,
  'annotations and lifetimes': 0.8,
  lifetimes: 0.5,
  none: 0.5,
};

/** How sure one reason is in this trace, 0 to 1. */
export const sureness = ({ phases }: TraceSurvey, { confidence, byItself }: Reason): number =>
  confidence * (byItself ? 1 : TRUST[phases.source]);

/** The same as it is shown. */
export const confidenceOf = (survey: TraceSurvey, reason: Reason): number =>
  Math.round(sureness(survey, reason) * 100) / 100;
