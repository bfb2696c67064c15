import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canShare } from '../test/support/length.ts';
import { readTallies } from '../test/support/tally.ts';

/**
 * All tests, or those that are named: `npm test`, `npm test -- test/model`. Nearly all share their
 * processes, as to start one and import our code takes longer than many of them do; those that look
 * at the memory of the whole machine come last, when nothing else runs beside them.
 *
 * Many tests watch real programs by the clock, and a machine that is busy with something else may
 * starve one. A file that failed among others is therefore run once more, alone, and named at the
 * end: a fault of ours shows alone as well. Where more than a few failed, it is no matter of chance.
 */
const ALONE = ['test/leak/left-behind.test.ts'];
const FEW = 3;

const folder = mkdtempSync(join(tmpdir(), 'highwater-tally-'));
const tally = join(folder, 'tally.json');
const env = { ...process.env, HIGHWATER_TALLY: tally };
const vitest = (...words: string[]) =>
  spawnSync('npx', ['--no-install', 'vitest', 'run', ...words], { stdio: 'inherit', env })
    .status === 0;

const named = process.argv.slice(2);
process.exitCode = (named.length > 0 ? vitest(...named) : whole()) ? 0 : 1;
rmSync(folder, { recursive: true });

function whole(): boolean {
  const others = files().filter((file) => !ALONE.includes(file));
  const sharing = others.filter(canShare);
  const apart = others.filter((file) => !canShare(file));
  // Lines are counted file by file (scripts/coverage.ts).
  const shared = process.env.HIGHWATER_COVERAGE ? [] : ['--no-isolate'];
  const together = [vitest(...shared, ...sharing), vitest(...apart)].every(Boolean);
  const failed = failedFiles();
  const isFew = failed.length > 0 && failed.length <= FEW;
  const mended = isFew && failed.map((file) => vitest(file)).every(Boolean);
  const alone = vitest(...ALONE);
  if (isFew) {
    console.log(`Failed among others, ${mended ? 'passed' : 'failed'} alone: ${failed.join(', ')}`);
  }
  return (together || mended) && alone;
}

function files(): string[] {
  return ['test', 'examples'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => join(folder, name)),
  );
}

function failedFiles(): string[] {
  const tallies = Object.entries(readTallies(tally));
  return tallies.filter(([, { failed }]) => failed > 0).map(([file]) => file);
}
