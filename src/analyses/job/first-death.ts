import type { RankEnding } from '../../model/job/summary.ts';
import type { Member } from './member.ts';

/** A rank that died. */
export interface JobDeath {
  readonly rank: number | null;
  readonly node: string;
  readonly how: RankEnding['how'];
  readonly code: number | null;
  readonly signal: string | null;
  readonly outOfMemory: boolean | null;
  /** From the job's start, that of its first rank. */
  readonly seconds: number;
  /** In milliseconds since 1970, by the clock of its machine. */
  readonly atMs: number;
  /** The answer of its own report. */
  readonly sentence: string;
  readonly cause: string;
}

export interface FirstDeath extends JobDeath {
  /** Whether it is known that no other died before it. */
  readonly certain: boolean;
  /** Why not; null: it is known. */
  readonly doubt: string | null;
  /** Others that may have been the first: closer than the clocks of two machines can be trusted to agree. */
  readonly orRather: readonly JobDeath[];
}

/** Clocks of machines that are kept by NTP agree to milliseconds; nobody looks whether they are. */
export const CLOCKS_AGREE_MS = 1000;
/** One recorder for several ranks sees an end at its next look. */
const LOOKS_APART_MS = 50;
const MOST_RIVALS = 5;

/** `earliest`: those that died, the first first, as far as they were kept. */
export function firstDeath(earliest: readonly Member[], startMs: number): FirstDeath | null {
  const [first, ...rest] = earliest;
  if (!first) return null;
  const at = (member: Member) => member.summary.ended.atMs!;
  const rivals = rest.filter((one) => {
    const apart = at(one) - at(first);
    return apart < (one.node === first.node ? LOOKS_APART_MS : CLOCKS_AGREE_MS);
  });
  const otherNode = rivals.some(({ node }) => node !== first.node);
  // What was cut off died at its last sample or later.
  const isCut = first.summary.ended.how === 'cut-off' && rest.length > 0;
  const doubt = otherNode
    ? `others died within ${CLOCKS_AGREE_MS / 1000} s on other machines, whose clocks need not agree`
    : rivals.length > 0
      ? `others of the same machine died within ${LOOKS_APART_MS} ms`
      : isCut
        ? 'its recording was cut off: it was last seen then, and may have died later'
        : null;
  return {
    ...deathOf(first, startMs),
    certain: doubt === null,
    doubt,
    orRather: rivals.slice(0, MOST_RIVALS).map((one) => deathOf(one, startMs)),
  };
}

function deathOf({ rank, node, summary, recording }: Member, startMs: number): JobDeath {
  const { how, code, signal, outOfMemory, atMs } = summary.ended;
  return {
    rank,
    node,
    how,
    code,
    signal,
    outOfMemory,
    seconds: (atMs! - startMs) / 1000,
    atMs: atMs!,
    sentence: recording.verdict.sentence,
    cause: recording.verdict.code,
  };
}
