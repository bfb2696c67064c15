import { type OutsideByProcess, type OutsideGrowth, TAKERS, type Taker } from './outside-told.ts';
import type { Part } from './part.ts';
import type { TorchDevice } from './torch-on-cards.ts';

/** Where nobody told what of it is what. */
export const UNSPLIT = 'context and libraries';
const OTHER = 'other outside torch';
/** What torch took between two readings, which cannot be told from the rest. */
export const MEANWHILE = ', and what torch took meanwhile';
const NAMES: Readonly<Record<Taker, string>> = {
  context: 'context',
  nccl: 'NCCL',
  graphs: 'CUDA graphs',
};
const FROM = "driver less torch's reserved";
const MOST_GROWTHS = 5;

/** What this workload's processes held on a card outside torch's allocator, at the headline. */
export interface OutsideFacts {
  /** All of it; the parts below add up to it. */
  readonly bytes: number;
  readonly contextBytes: number;
  readonly ncclBytes: number;
  readonly graphsBytes: number;
  /** Kernels and libraries that were loaded when they were first used, and whatever else took memory beside torch. */
  readonly otherBytes: number;
  /** Of processes that did not tell what is what, and what torch took between two readings. */
  readonly unsplitBytes: number;
  /** What came beside context, NCCL and graphs, by the line that ran then: the largest. */
  readonly growths: readonly OutsideGrowth[];
}

/**
 * One process's memory outside torch, split by what it told until then; they add up to it. None of them can have more than
 * is there; what is left is one part.
 */
export function outsideParts(
  outside: Part,
  { pid, device }: TorchDevice,
  told: OutsideByProcess,
  meanwhile: boolean,
): Part[] {
  const suffix = meanwhile ? MEANWHILE : '';
  const context = told.taken(pid, device, 'context', outside.ns);
  if (!context) return [{ ...outside, what: `${UNSPLIT}${suffix}` }];
  let left = outside.bytes;
  const parts: Part[] = [];
  for (const taker of TAKERS) {
    const one = told.taken(pid, device, taker, outside.ns);
    const bytes = Math.min(left, one?.bytes ?? 0);
    left -= bytes;
    if (one) parts.push({ what: NAMES[taker], bytes, from: FROM, ns: one.ns, pid: null });
  }
  return [...parts, { ...outside, what: `${OTHER}${suffix}`, bytes: left }];
}

/** The same of all processes, from the rows of the account; null: nothing is outside torch, or nobody told. */
export function outsideFacts(
  rows: readonly { readonly what: string; readonly bytes: number }[],
  growths: readonly OutsideGrowth[],
): OutsideFacts | null {
  const sum = (...names: readonly string[]) =>
    rows.reduce((all, { what, bytes }) => all + (names.includes(what) ? bytes : 0), 0);
  const parts = {
    contextBytes: sum(NAMES.context),
    ncclBytes: sum(NAMES.nccl),
    graphsBytes: sum(NAMES.graphs),
    otherBytes: sum(OTHER),
    unsplitBytes: sum(UNSPLIT, `${UNSPLIT}${MEANWHILE}`, `${OTHER}${MEANWHILE}`),
  };
  const bytes = Object.values(parts).reduce((all, part) => all + part, 0);
  if (bytes === 0) return null;
  return {
    bytes,
    ...parts,
    growths: [...growths].sort((a, b) => b.bytes - a.bytes).slice(0, MOST_GROWTHS),
  };
}
