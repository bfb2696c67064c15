import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import type { Young } from '../../src/sdk/heap/young.ts';
import { place } from '../support/recorder.ts';

/** Nothing of the program's comes in between: it stands still while its heap is written, far from its next collection. */
const PROGRAM = `
import { writeHeapSnapshot } from 'node:v8';
import { restoreYoung, young } from '${pathToFileURL('src/sdk/heap/young.ts')}';
globalThis.kept = Array.from({ length: 150_000 }, (_, i) => ({ list: [i] }));
const share = () => young().filled / young().room;
while (share() < 0.15 || share() > 0.3) new Array(500).fill(0);
const before = young();
writeHeapSnapshot(process.argv[1]);
const shrunk = young();
restoreYoung(before);
console.log(JSON.stringify({ before, shrunk, after: young() }));
`;

it("leaves V8's young generation as large, as written to and as full as it was", () => {
  const words = ['--import', 'tsx', '--input-type=module', '-e', PROGRAM, place('a.heapsnapshot')];
  const said = execFileSync(process.execPath, words, { encoding: 'utf8' });
  const { before, shrunk, after } = JSON.parse(said) as Record<string, Young>;
  // What is to be mended.
  expect(shrunk!.room).toBeLessThan(before!.room / 2);
  expect(after!.room).toBeGreaterThanOrEqual(before!.room);
  const near = (key: 'touched' | 'filled') => Math.abs(after![key] - before![key]) / before!.room;
  // What was earned back lived in one half and was copied to the other.
  expect(near('touched')).toBeLessThan(0.4);
  expect(near('filled')).toBeLessThan(0.1);
});
