import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The longest files of a project first, so that at the end no core waits for a file that was begun
 * last. A project stays together: its shared processes end where another project's file comes next.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ranks = new Map(files.map((file) => [file, lengthRank(file.moduleId)]));
    const projects = new Map<unknown, TestSpecification[]>();
    for (const file of await super.sort(files)) {
      const others = projects.get(file.project);
      if (others) others.push(file);
      else projects.set(file.project, [file]);
    }
    return [...projects.values()].flatMap((some) =>
      some.sort((a, b) => ranks.get(a)! - ranks.get(b)!),
    );
  }
}

/** What makes a test file long, by what it or its helpers say: training, pages in a browser, other programs. */
const LONG = [
  /whereTorch\(|whereWheel\(/,
  /chromium\.ts/,
  /node:child_process|node:worker_threads/,
];

/** Helpers that every test may use, and that start something only where they are asked to. */
const ASIDE = /support\/(programs|shared|torch)\.ts$/;

/** 0 for the longest. On a new machine no earlier run says how long a file takes; what it imports does. */
function lengthRank(path: string): number {
  const texts = [...withHelpers(resolve(path))].map((file) => readFileSync(file, 'utf8'));
  const found = LONG.findIndex((sign) => texts.some((text) => sign.test(text)));
  return found < 0 ? LONG.length : found;
}

/** A file and what it imports of the tests' own, directly or not. */
function withHelpers(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path) || ASIDE.test(path) || path.includes('/src/')) return seen;
  seen.add(path);
  for (const [, name] of readFileSync(path, 'utf8').matchAll(/from '(\.[^']+\.ts)'/g)) {
    withHelpers(resolve(path, '..', name!), seen);
  }
  return seen;
}
