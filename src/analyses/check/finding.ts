import type { Limit } from './limit.ts';
import type { PeakPart } from './run-figures.ts';

export type CheckStatus = 'pass' | 'fail' | 'unknown';

/** One limit, and what came of it. */
export interface LimitFinding {
  readonly kind: Limit['kind'];
  readonly limit: string;
  readonly status: CheckStatus;
  /** null where no series was judged. */
  readonly series: string | null;
  readonly measuredBytes: number | null;
  readonly limitBytes: number | null;
  /** Why, in words, with the figures. */
  readonly evidence: string;
  /** On failure: what grew against the baseline or, without one, what it was made of; largest first. */
  readonly parts: readonly GrownPart[];
}

export interface GrownPart {
  readonly by: PeakPart['by'];
  readonly name: string;
  readonly bytes: number;
  /** null without a baseline. */
  readonly baselineBytes: number | null;
}

/** Shown with a failure: more is for `report` and `compare`. */
const MOST_SHOWN = 8;
/** The finest first: processes hold everything. */
const ORDER: readonly PeakPart['by'][] = ['layer', 'stack', 'category', 'process'];

/** What makes the difference, by the finest measure there is. */
export function grownParts(
  now: readonly PeakPart[],
  before: readonly PeakPart[] | null,
): GrownPart[] {
  for (const by of ORDER) {
    const parts = now.filter((part) => part.by === by);
    const old = before?.filter((part) => part.by === by);
    if (parts.length === 0 || (old && old.length === 0)) continue;
    const found = parts
      .map((part) => {
        const same = old?.find((one) => one.name === part.name)?.bytes ?? 0;
        return { ...part, baselineBytes: old ? same : null };
      })
      .filter((part) => part.bytes > (part.baselineBytes ?? 0))
      .sort((a, b) => b.bytes - (b.baselineBytes ?? 0) - (a.bytes - (a.baselineBytes ?? 0)));
    if (found.length > 0) return found.slice(0, MOST_SHOWN);
  }
  return [];
}
