import { mbWord, sizesAccounting, sizesLine, sizesSentence, topWord } from '../../views/sizes.ts';
import { allsizes } from './account.ts';
import { connections, defaultRoots } from './roots.ts';
import { scheduleSizes } from './scheduled-sizes.ts';
import { SizeWalk } from './walk.ts';

/**
 * Sizes: of the process, of values, of arrays, and whether they add up (docs/sizes.md). The names are those
 * of Topographica's memuse. Sizes are in bytes; in its strings MB and m are 1024² bytes.
 */
export { allsizes } from './account.ts';
export { type Asized, type AsizeofOptions, asized, asizeof } from './asizeof.ts';
export { type BatchOptions, memuseBatch } from './batch.ts';

/** Resident bytes of this process, as top and ps show them. */
export const topsize = (): number => process.memoryUsage.rss();

/** `topsize:52m`, as top writes it. */
export const topsizeMb = (): string => `topsize:${topWord(topsize())}`;

/** Bytes of all objects of a model or simulation without its arrays' data; by default the profiler's model. */
export const simsize = (...roots: readonly unknown[]): number => walkOf(roots).objects;

export const simsizeMb = (...roots: readonly unknown[]): string =>
  `simsize:${mbWord(simsize(...roots))}`;

/** Bytes of the arrays of a model or simulation, on all devices; shared memory counts once. */
export const nBytes = (...roots: readonly unknown[]): number => walkOf(roots).arrayBytes;

export const wtsizeMb = (...roots: readonly unknown[]): string =>
  `wtsize:${mbWord(nBytes(...roots))}`;

/** How many connections (parameters) a model has; those that share memory count each time. */
export const nConns = (...roots: readonly unknown[]): number => connections(given(roots));

/** `Defined 2197512-connection network; 15MB required for weight storage.` */
export function printSizes(...roots: readonly unknown[]): void {
  process.stdout.write(`${sizesSentence(nConns(...roots), nBytes(...roots))}\n`);
}

/** The process size against what explains it: the original's line, and below it what that leaves to the reader. */
export function allsizesMb(...roots: readonly unknown[]): string {
  const sizes = allsizes(...roots);
  return [sizesLine(sizes), ...sizesAccounting(sizes).map((line) => `  ${line}`)].join('\n');
}

const given = (roots: readonly unknown[]) => (roots.length > 0 ? roots : defaultRoots().roots);

function walkOf(roots: readonly unknown[]): SizeWalk {
  const walk = new SizeWalk();
  walk.add(...given(roots));
  return walk;
}

scheduleSizes();
