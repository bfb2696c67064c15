import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** What makes a test file long, by what it or its helpers say: training, pages in a browser, other programs. */
const LONG = [
  /whereTorch\(|whereWheel\(/,
  /chromium\.ts/,
  /node:child_process|node:worker_threads/,
];

/** Helpers that every test may use, and that start something only where they are asked to. */
const ASIDE = /support\/(programs|shared|torch)\.ts$/;

/** 0 for the longest. On a new machine no earlier run says how long a file takes; what it imports does. */
export function lengthRank(path: string): number {
  const texts = [...withHelpers(resolve(path))].map((file) => readFileSync(file, 'utf8'));
  const found = LONG.findIndex((sign) => texts.some((text) => sign.test(text)));
  return found < 0 ? LONG.length : found;
}

/** What a test does to the process it is in, or measures of it. */
const OWN_PROCESS = /\bvi\.|process\.chdir|process\.env\.\w+ = |expectMemory/;

/** Leaves its process as it was: such files can share one. */
export const canShare = (path: string): boolean => !OWN_PROCESS.test(readFileSync(path, 'utf8'));

/** A file and what it imports of the tests' own, directly or not. */
function withHelpers(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path) || ASIDE.test(path) || path.includes('/src/')) return seen;
  seen.add(path);
  for (const [, name] of readFileSync(path, 'utf8').matchAll(/from '(\.[^']+\.ts)'/g)) {
    withHelpers(resolve(path, '..', name!), seen);
  }
  return seen;
}
