import { GiB } from '../base/bytes.ts';
import type { CrashText, OomEvent, OomFigures, XlaProgram } from '../model/out-of-memory.ts';
import { type Plan, planOfText } from './plan/index.ts';

/**
 * Why memory ran out. `too-large`: nothing that the figures show would have made room; `fragmentation`: the allocator itself
 * kept as much unused; `other-process`: what others held would have been enough; `limit`: a limit of process, container,
 * job, heap or plan was reached; `host-full`: all of the machine; `shm-full`: /dev/shm.
 */
export type OomCause =
  | 'too-large'
  | 'fragmentation'
  | 'other-process'
  | 'limit'
  | 'host-full'
  | 'shm-full';

/** A cause held against the figures. */
export interface CauseJudgement {
  readonly cause: OomCause;
  /** `shown`: the figures show it; `possible`: they do not exclude it; `excluded`: they do. */
  readonly judgement: 'shown' | 'possible' | 'excluded';
  /** What it could have given at most, where that is known, and what was missing. */
  readonly roomBytes: number | null;
}

/** What the figures of a message prove and exclude. */
export interface OomJudgement {
  /** The cause that the figures show; null: they do not settle it. */
  readonly cause: OomCause | null;
  readonly causes: readonly CauseJudgement[];
  /** Asked for beyond what was free; null where one of the two is not told. */
  readonly missingBytes: number | null;
  /** Of the device, or of the limit, what tensors held themselves; null where that is not told. */
  readonly tensorShare: number | null;
  /** Free memory was enough by these figures, so that they explain nothing. */
  readonly freeWasEnough: boolean;
}

export interface JudgedOom extends OomEvent, OomJudgement {}

/** What a text about a crash proves and excludes. */
export interface OutOfMemory {
  readonly type: 'out-of-memory';
  readonly schemaVersion: number;
  readonly name: string;
  readonly lines: number;
  /** The one that ended it, as far as a text can tell; null: memory did not run out in this text. */
  readonly main: JudgedOom | null;
  /** The program that XLA could not run, where the story of `main` has one. */
  readonly program: XlaProgram | null;
  /** All of them, in order; the same at several ranks is several. */
  readonly events: readonly JudgedOom[];
  readonly dropped: number;
  /** Lines after the last message: a program that goes on has caught it. */
  readonly linesAfter: number;
  /** What engines that serve models planned, by their lines in this text. */
  readonly plan: Omit<Plan, 'type'>;
}

/** The version of this as programs read it: new keys leave it, changed ones raise it. */
const CRASH_VERSION = 1;

/** Events so many lines apart are two stories. */
const ONE_STORY_LINES = 200;

export function outOfMemory(text: CrashText): OutOfMemory {
  const events = text.events.map((event) => ({ ...event, ...judgeFigures(event) }));
  const last = events.length > 0 ? Math.max(text.told, events.at(-1)!.line) : text.lines;
  const story = lastStory(events);
  return {
    type: 'out-of-memory',
    schemaVersion: CRASH_VERSION,
    name: text.name,
    lines: text.lines,
    main: mainEvent(story),
    program: story.find(({ program }) => program)?.program ?? null,
    events,
    dropped: text.dropped,
    linesAfter: text.lines - last,
    plan: planIn(text),
  };
}

function planIn({ engines }: CrashText): Omit<Plan, 'type'> {
  if (!engines) return { engines: [], notes: [] };
  const { type: _, ...rest } = planOfText(engines);
  return rest;
}

/** The last events that lie close together. */
function lastStory(events: readonly JudgedOom[]): readonly JudgedOom[] {
  let from = Math.max(0, events.length - 1);
  while (from > 0 && events[from]!.line - events[from - 1]!.line < ONE_STORY_LINES) from--;
  return events.slice(from);
}

/** Of a story the first message that has figures: what follows from it is said after it. */
function mainEvent(story: readonly JudgedOom[]): JudgedOom | null {
  const told = story.find(({ cause }) => cause !== null);
  return told ?? story.find(({ asked }) => asked !== undefined) ?? story[0] ?? null;
}

export function judgeFigures(event: OomFigures): OomJudgement {
  const { asked, free, total, limit } = event;
  const missingBytes = asked === undefined || free === undefined ? null : Math.max(0, asked - free);
  const isLimit = limit !== undefined || event.limitOf !== undefined;
  const freeWasEnough = missingBytes === 0 && !isLimit && !(asked! > (total ?? NO_CARD));
  const causes =
    event.place === 'gpu' ? onDevice(event, missingBytes, freeWasEnough) : onHost(event);
  const all = limit ?? total;
  const tensorShare = all && event.allocated !== undefined ? event.allocated / all : null;
  const shown = causes.find(({ judgement }) => judgement === 'shown');
  return {
    cause: shown?.cause ?? null,
    causes,
    missingBytes,
    tensorShare,
    freeWasEnough,
  };
}

function onHost(event: OomFigures): CauseJudgement[] {
  const { place, limitOf, machineFull, source } = event;
  const shown = (cause: OomCause): CauseJudgement => ({
    cause,
    judgement: 'shown',
    roomBytes: null,
  });
  const possible = (cause: OomCause): CauseJudgement => ({
    ...shown(cause),
    judgement: 'possible',
  });
  const excluded = (cause: OomCause): CauseJudgement => ({
    ...shown(cause),
    judgement: 'excluded',
  });
  if (place === 'shm') return [shown('shm-full')];
  if (place === 'heap') return [shown('limit'), excluded('host-full')];
  if (limitOf !== undefined) {
    return [shown('limit'), source === 'kernel' ? excluded('host-full') : possible('host-full')];
  }
  if (machineFull) return [shown('host-full'), excluded('limit')];
  const beyond = (event.asked ?? 0) > NO_CARD || (event.asked ?? 0) > (event.free ?? Infinity);
  if (beyond) {
    return [shown('too-large')];
  }
  return [possible('limit'), possible('host-full')];
}

/** No card has a petabyte. */
const NO_CARD = 2 ** 50;
/** A context and what the driver keeps for itself: less than this is nobody's. */
const CONTEXT_BYTES = GiB;
const CONTEXT_SHARE = 0.05;

function onDevice(
  event: OomFigures,
  missing: number | null,
  freeWasEnough: boolean,
): CauseJudgement[] {
  const { asked, total, limit, reservedUnused: unused } = event;
  const others = heldByOthers(event);
  const causes: CauseJudgement[] = [];
  const add = (cause: OomCause, judgement: CauseJudgement['judgement'], roomBytes: number | null) =>
    causes.push({ cause, judgement, roomBytes });
  if (asked === undefined) {
    if (event.limitOf) add('limit', 'shown', limit ?? null);
    // Whatever was asked for: they held more of it than anybody else.
    if (total !== undefined && others.sure > total / 2) add('other-process', 'shown', others.most);
    return causes;
  }
  const alone = asked > (total ?? NO_CARD);
  const inPieces = unused !== undefined && unused >= asked;
  // Of a pool that is at its limit, but has as much unused, the pieces are the reason.
  const poolInPieces = inPieces && total === undefined && limit !== undefined;
  if (limit !== undefined) add('limit', alone || poolInPieces ? 'possible' : 'shown', limit);
  else if (event.source === 'torch' && total !== undefined) add('limit', 'excluded', null);
  const room = (event.free ?? 0) + (unused ?? 0) + (others.most ?? 0);
  const known = event.free !== undefined && unused !== undefined && others.most !== null;
  // With nobody else there and all else in one piece there would be this much, at most.
  const beside =
    total !== undefined && event.allocated !== undefined ? total - event.allocated : null;
  if (alone) add('too-large', 'shown', total ?? null);
  else if (limit === undefined && !known && beside !== null && asked > beside) {
    add('too-large', 'shown', beside);
  } else if (limit === undefined && known) {
    add('too-large', asked > room ? 'shown' : 'excluded', room);
  }
  if (unused !== undefined) {
    const together = (event.free ?? 0) + unused >= asked;
    const fits = !alone && (limit === undefined || poolInPieces) && !freeWasEnough;
    const judgement = fits && inPieces ? 'shown' : together && !alone ? 'possible' : 'excluded';
    add('fragmentation', judgement, unused);
  }
  if (others.most !== null && missing !== null) {
    const enough = others.most >= missing && missing > 0;
    const sure = enough && others.sure >= missing;
    const fits = !alone && limit === undefined;
    add(
      'other-process',
      fits && sure ? 'shown' : fits && enough ? 'possible' : 'excluded',
      others.most,
    );
  }
  return causes.sort((a, b) => ORDER.indexOf(a.judgement) - ORDER.indexOf(b.judgement));
}

const ORDER: readonly CauseJudgement['judgement'][] = ['shown', 'possible', 'excluded'];

const contextOf = (total: number | undefined) =>
  Math.max(CONTEXT_BYTES, CONTEXT_SHARE * (total ?? 0));

/** What others held at least (listed by name, or beyond what a context takes) and at most. */
function heldByOthers({ total, free, process, allocated, reservedUnused, others }: OomFigures): {
  readonly sure: number;
  readonly most: number | null;
} {
  if (total === undefined || free === undefined) return { sure: others ?? 0, most: others ?? null };
  const own = process ?? (allocated === undefined ? undefined : allocated + (reservedUnused ?? 0));
  if (own === undefined) return { sure: others ?? 0, most: others ?? null };
  const rest = Math.max(0, total - free - own);
  // Where the process's own context and libraries are not in `own`, the rest may be theirs.
  const sure = process !== undefined && rest > contextOf(total) ? rest : 0;
  return { sure: Math.max(others ?? 0, sure), most: Math.max(rest, others ?? 0) };
}
