import { MATCHES, type Match } from './keys.ts';
import type { Site } from './sites.ts';

/** Sites of both that are the same place in the program; one side is empty where only one has it. */
export interface Pairing {
  readonly a: readonly Site[];
  readonly b: readonly Site[];
  /** null: only one of the two has it. */
  readonly match: Match | null;
}

/** Strict matches first: what they leave over is looked at ever more leniently. */
export function matchSites(a: readonly Site[], b: readonly Site[]): Pairing[] {
  const found: Pairing[] = [];
  let left: Pick<Pairing, 'a' | 'b'> = { a, b };
  for (const { match, key } of MATCHES) {
    const groups = new Map<string, { a: Site[]; b: Site[] }>();
    const rest: { a: Site[]; b: Site[] } = { a: [], b: [] };
    for (const side of ['a', 'b'] as const) {
      for (const site of left[side]) {
        const text = key(site);
        if (text === null) rest[side].push(site);
        else {
          const group = groups.get(text) ?? { a: [], b: [] };
          group[side].push(site);
          groups.set(text, group);
        }
      }
    }
    for (const group of groups.values()) {
      if (group.a.length > 0 && group.b.length > 0) found.push({ ...group, match });
      else for (const side of ['a', 'b'] as const) rest[side].push(...group[side]);
    }
    left = rest;
  }
  return [...found, ...alone(left)];
}

/** What only one of them has, still one entry for each content. */
function alone({ a, b }: Pick<Pairing, 'a' | 'b'>): Pairing[] {
  const merged = (sites: readonly Site[]) => {
    const groups = new Map<string, Site[]>();
    for (const site of sites) {
      const key = MATCHES[0]!.key(site)!;
      groups.set(key, [...(groups.get(key) ?? []), site]);
    }
    return [...groups.values()];
  };
  return [
    ...merged(a).map((sites) => ({ a: sites, b: [], match: null })),
    ...merged(b).map((sites) => ({ a: [], b: sites, match: null })),
  ];
}
