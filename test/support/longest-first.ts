import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What makes a test file long: training above all, then pages in a browser, then recordings. */
const LONG = [
  /whereTorch|whereWheel/,
  /chromium\.ts|viewing\.ts/,
  /recorder\.ts|spawn|workshop\.ts/,
];

/**
 * The longest files first, so that at the end no core waits for a file that was begun last. On a new
 * machine no earlier run says how long each takes; what it imports does.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ranks = new Map(files.map((file) => [file, rank(file.moduleId)]));
    const usual = await super.sort(files);
    return usual.sort((a, b) => ranks.get(a)! - ranks.get(b)!);
  }
}

function rank(path: string): number {
  const text = readFileSync(path, 'utf8');
  const found = LONG.findIndex((sign) => sign.test(text));
  return found < 0 ? LONG.length : found;
}
