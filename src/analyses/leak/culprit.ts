import type { Trend } from './trend.ts';

/** Who leaks, by the series that shows it best. */
export interface Culprit {
  readonly series: string;
  readonly measure: Trend['measure'];
  /** `data loader`, `main`; null for the whole tree or machine. */
  readonly role: string | null;
  /** How many processes of that role there were at a time. */
  readonly members: number | null;
  /** The same processes by the other measure; null where it was not recorded. */
  readonly other: { readonly measure: Trend['measure']; readonly grows: boolean } | null;
}

/** The other measure grows too when it shows at least this share of the growth. */
const GROWS_TOO = 0.3;

/** What each measure is compared with. */
const OTHER: Readonly<Partial<Record<Trend['measure'], Trend['measure']>>> = {
  PSS: 'RSS',
  RSS: 'PSS',
};

/** The role that grows most, where one leaks and explains half or more; else the whole. */
export function culpritOf(leaking: Trend, all: readonly Trend[]): Culprit {
  const roles = all
    .filter(({ role, verdict, measure }) => {
      return role !== null && verdict === 'leak' && measure === leaking.measure;
    })
    .sort((a, b) => b.growthBytes - a.growthBytes);
  const [most] = roles;
  const named = most && most.growthBytes > leaking.growthBytes / 2 ? most : leaking;
  const other = OTHER[named.measure];
  const twin = all.find(({ role, measure }) => role === named.role && measure === other);
  // PSS also moves with unrelated processes: inconclusive, it does not show that anything is flat.
  const comparable = twin && (twin.measure === 'RSS' || twin.verdict !== 'inconclusive');
  return {
    series: named.series,
    measure: named.measure,
    role: named.role,
    members: named.members,
    other: comparable
      ? { measure: twin.measure, grows: twin.growthBytes > GROWS_TOO * named.growthBytes }
      : null,
  };
}
