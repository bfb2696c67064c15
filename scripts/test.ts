import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * All tests, or those that are named: `npm test`, `npm test -- test/model`. Those that look at the
 * memory of the whole machine come last, when nothing else runs beside them.
 */
const ALONE = ['test/leak/left-behind.test.ts'];

const folder = mkdtempSync(join(tmpdir(), 'highwater-tally-'));
const env = { ...process.env, HIGHWATER_TALLY: join(folder, 'tally.json') };
const vitest = (...words: string[]) =>
  spawnSync('npx', ['--no-install', 'vitest', 'run', ...words], { stdio: 'inherit', env }).status;

const named = process.argv.slice(2);
const others = ALONE.flatMap((file) => ['--exclude', file]);
const results = named.length > 0 ? [vitest(...named)] : [vitest(...others), vitest(...ALONE)];
rmSync(folder, { recursive: true });
process.exit(results.every((status) => status === 0) ? 0 : 1);
