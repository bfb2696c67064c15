import { byChange, type Held, heldBy, type Share, share, sumOf } from './change.ts';
import type { Site } from './sites.ts';

/** What was held under each tag; all empty where nothing has a tag. */
export interface TagChanges {
  /** '' is what has no tag. */
  readonly shown: readonly (Share & { readonly tag: string })[];
  readonly rest: Share & { readonly tags: number };
}

const MOST_TAGS = 20;

export function tagChanges(a: readonly Site[], b: readonly Site[]): TagChanges {
  const [before, after] = [byTag(a), byTag(b)];
  const tags = [...new Set([...before.keys(), ...after.keys()])];
  const all = tags.every((tag) => tag === '')
    ? []
    : tags.map((tag) => ({ tag, ...share(before.get(tag), after.get(tag)) })).sort(byChange);
  const others = all.slice(MOST_TAGS);
  return {
    shown: all.slice(0, MOST_TAGS),
    rest: { tags: others.length, ...sumOf(others) },
  };
}

function byTag(sites: readonly Site[]): Map<string, Held> {
  const found = new Map<string, Site[]>();
  for (const site of sites) {
    const same = found.get(site.tag);
    if (same) same.push(site);
    else found.set(site.tag, [site]);
  }
  return new Map([...found].map(([tag, some]) => [tag, heldBy(some)]));
}
