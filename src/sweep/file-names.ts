import { createHash } from 'node:crypto';
import { type Combination, combinationName } from './grid.ts';

/** With `#10000.hw` behind it, well below what file systems take. */
const LONGEST = 150;

/**
 * A file name for each combination: its own name where that is safe, else a safe likeness with a
 * few letters of its hash behind it. No two are alike, also where case does not count.
 */
export function fileStems(all: readonly Combination[]): string[] {
  const names = all.map(combinationName);
  const plain = names.map(likeness);
  const uses = new Map<string, number>();
  for (const name of plain) uses.set(name.toLowerCase(), (uses.get(name.toLowerCase()) ?? 0) + 1);
  return names.map((name, i) => {
    const safe = plain[i]!;
    return safe === name && uses.get(safe.toLowerCase()) === 1 ? safe : `${safe}~${hash(name)}`;
  });
}

/** Names begin with a parameter's, so never with a dot or a dash. */
const likeness = (name: string) => name.replace(/[^\w.+=,-]+/g, '_').slice(0, LONGEST);

const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);
