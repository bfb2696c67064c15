import type { Frame } from '../../../model/allocations/names.ts';
import type { Category } from '../evidence/reasons.ts';
import { describeStack } from '../top-stacks.ts';
import { byChange, heldBy, type Share, share, sumOf } from './change.ts';
import { type Match, matchSites, type Pairing } from './match.ts';
import type { Site } from './sites.ts';

const MOST_SITES = 20;

export type SiteStatus = 'new' | 'gone' | 'grown' | 'shrunk' | 'same';

/** What one place in the program held in both. */
export interface SiteChange extends Share {
  readonly status: SiteStatus;
  /** null where only one of the two has it. */
  readonly match: Match | null;
  readonly category: Category;
  /** '' without one. */
  readonly tag: string;
  /** The line worth reading first. */
  readonly where: string;
  /** As in `report`; of `b`, or of `a` where only that has it. */
  readonly frames: readonly Frame[];
}

export interface SiteChanges {
  /** Where most changed, the largest change first. */
  readonly shown: readonly SiteChange[];
  /** All the others; with those shown they make up the whole difference. */
  readonly rest: Share & {
    readonly sites: number;
    /** What grew and what shrank among them. */
    readonly grownBytes: number;
    readonly shrunkBytes: number;
  };
  /** How many sites were matched in which way, and what they hold. */
  readonly matched: readonly (Share & {
    readonly match: Match | 'new' | 'gone';
    readonly sites: number;
  })[];
}

type Ranked = Share & { readonly pairing: Pairing };

/** All sites of both, where most changed first; of these the first are told one by one. */
export function rankedSites(
  a: readonly Site[],
  b: readonly Site[],
): { all: readonly Ranked[]; shown: readonly Ranked[] } {
  const all = matchSites(a, b)
    .map((pairing) => ({ pairing, ...share(heldBy(pairing.a), heldBy(pairing.b)) }))
    .sort(byChange);
  return { all, shown: all.slice(0, MOST_SITES).filter(({ bytes }) => bytes.difference !== 0) };
}

export function siteChanges(a: readonly Site[], b: readonly Site[]): SiteChanges {
  const { all, shown } = rankedSites(a, b);
  const others = all.slice(shown.length);
  const signed = (sign: number) =>
    others.reduce((sum, { bytes }) => sum + Math.max(0, sign * bytes.difference), 0);
  const ways = new Map<Match | 'new' | 'gone', Ranked[]>();
  for (const one of all) {
    const way = one.pairing.match ?? (one.pairing.a.length > 0 ? 'gone' : 'new');
    ways.set(way, [...(ways.get(way) ?? []), one]);
  }
  return {
    shown: shown.map(({ pairing, ...held }) => ({ ...describe(pairing, held), ...held })),
    rest: {
      sites: others.length,
      ...sumOf(others),
      grownBytes: signed(1),
      shrunkBytes: signed(-1),
    },
    matched: [...ways].map(([match, some]) => ({ match, sites: some.length, ...sumOf(some) })),
  };
}

function describe({ a, b, match }: Pairing, { bytes }: Share): Omit<SiteChange, keyof Share> {
  const sites = b.length > 0 ? b : a;
  const main = sites.reduce((most, one) => (one.bytes > most.bytes ? one : most));
  const { where, frames } = describeStack(main.recording, main.stack);
  return {
    status: status(a.length, b.length, bytes.difference),
    match,
    category: main.category,
    tag: main.tag,
    where,
    frames,
  };
}

function status(a: number, b: number, difference: number): SiteStatus {
  if (a === 0) return 'new';
  if (b === 0) return 'gone';
  return difference === 0 ? 'same' : difference > 0 ? 'grown' : 'shrunk';
}
