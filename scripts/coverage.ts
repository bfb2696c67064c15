import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeLines } from './coverage/code-lines.ts';
import { Hits, readCoverage } from './coverage/hits.ts';
import { type FileCoverage, ranges, share, sum, table } from './coverage/table.ts';

/**
 * Which lines of src the tests run: `npm run coverage`, or of some tests only, `npm run coverage -- test/model`.
 * Counted in every process: the tests' own, the built command line and its threads, and the page in a browser.
 * Fails below 90 %, of the whole set only. Lines that nothing ran are listed in coverage/missed.txt.
 */
const WANTED = 0.9;
const RAW = join('coverage', 'raw');
const tests = process.argv.slice(2);

rmSync('coverage', { recursive: true, force: true });
mkdirSync(RAW, { recursive: true });
chmodSync(RAW, 0o777); // some tests are ordinary users
const env = {
  ...process.env,
  NODE_V8_COVERAGE: join(process.cwd(), RAW),
  HIGHWATER_COVERAGE: join(process.cwd(), RAW),
};
const built = spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit', env });
if (built.status !== 0) process.exit(1);
const words = ['--no-install', 'vitest', 'run', ...tests];
const tested = spawnSync('npx', words, { stdio: 'inherit', env });

const hits = new Hits();
for (const name of readdirSync(RAW)) {
  const file = readCoverage(join(RAW, name));
  if (file) hits.add(file);
}
rmSync(RAW, { recursive: true });

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
  .map((name) => measured(join('src', name)))
  .filter(({ lines }) => lines > 0)
  .sort((a, b) => (a.path < b.path ? -1 : 1));
const missed = files.filter((file) => file.missed.length > 0);
const list = missed.map((file) => `${file.path}: ${ranges(file.missed)}\n`).join('');
writeFileSync(join('coverage', 'missed.txt'), list);
console.log(`\n${table(files)}\n\nEvery line that nothing ran: coverage/missed.txt`);
if (tested.status !== 0) process.exit(tested.status ?? 1);
if (tests.length === 0 && share(sum(files)) < WANTED) {
  console.error(`coverage: less than ${100 * WANTED} % of the lines of src were run`);
  process.exit(1);
}

function measured(path: string): FileCoverage {
  const ran = hits.lines.get(path) ?? new Set();
  const all = [...codeLines(path)].sort((a, b) => a - b);
  const left = all.filter((line) => !ran.has(line));
  return {
    path,
    lines: all.length,
    ran: all.length - left.length,
    missed: left.map((line) => line + 1),
  };
}
