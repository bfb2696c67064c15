import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { leak } from '../analyses/leak/index.ts';
import { leakPerRun, type Repeats } from '../analyses/leak/repeats.ts';
import { openInput } from './open.ts';

/** What `record --repeat` calls its recordings: 1.hw, 2.hw … with as many digits as are needed. */
export const repeatName = (run: number, times: number): string =>
  `${String(run).padStart(String(times).length, '0')}.hw`;

const NUMBERED = /^0*[1-9]\d*\.hw$/;

/** The recordings of `record --repeat` in a folder, in their order; null where it holds anything else. */
export function repeatsIn(folder: string): string[] | null {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return null;
  const names = readdirSync(folder).filter((name) => /\.hw$/.test(name));
  if (names.length < 2 || !names.every((name) => NUMBERED.test(name))) return null;
  return names
    .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
    .map((name) => join(folder, basename(name)));
}

/** What each of them left behind, taken together. */
export async function repeatsOf(folders: readonly string[]): Promise<Repeats> {
  return leakPerRun(
    await Promise.all(folders.map(async (one) => leak(await openInput(one)).shelf)),
  );
}
