import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeCase } from './case.ts';
import { added, FuzzRunner } from './runner.ts';
import { targets } from './targets.ts';
import type { Failure, Stretch, Tally } from './worker.ts';

/**
 * `npm run fuzz -- [--seed N] [--mutants N] [--jobs N] [--seconds N] [--format ID] [--case N]`: mutants of
 * good files through every reader, and what commands do with what was read. The only acceptable ends are an
 * answer and a UserError, within ten seconds and a gibibyte.
 */
const FAILURES = 'test/fuzz/failures';
const STRETCH = 500;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    mutants: { type: 'string', default: '100000' },
    jobs: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '14400' },
    format: { type: 'string' },
    case: { type: 'string' },
  },
});
const seed = Number(values.seed);
const all = targets();
const chosen = all.filter((target) => !values.format || target.id === values.format);
if (chosen.length === 0) {
  console.error(`no format '${values.format}'; there are ${all.map((t) => t.id).join(', ')}`);
  process.exit(2);
}
const first = values.case ? Number(values.case) : 0;
const last = values.case ? first + 1 : Math.ceil(Number(values.mutants) / chosen.length);
const started = performance.now();
const deadline = started + Number(values.seconds) * 1000;

/** All targets in turns, so that a run that is ended early has tried each. */
const stretches: Stretch[] = [];
for (let from = first; from < last; from += STRETCH) {
  const to = Math.min(last, from + STRETCH);
  for (const { id } of chosen) stretches.push({ target: id, seed, from, to });
}
stretches.reverse();

const tallies = new Map<string, Tally>();
let cases = 0;
let failures = 0;

/** A mutant that went wrong, to look at; it is also made again by its number. */
function keep({ target, number, what }: Failure): void {
  const folder = join(FAILURES, `${target}-${seed}-${number}`);
  const { files } = makeCase(all.find(({ id }) => id === target)!, seed, number);
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of files) writeFileSync(join(folder, basename(name)), bytes);
  console.error(`${target} --seed ${seed} --case ${number}: ${what}\n  kept in ${folder}`);
}

async function job(): Promise<void> {
  const runner = new FuzzRunner();
  for (;;) {
    const stretch = performance.now() < deadline ? stretches.pop() : undefined;
    if (!stretch) break;
    const tally = await runner.run(stretch);
    const before = tallies.get(stretch.target);
    tallies.set(stretch.target, before ? added(before, tally) : tally);
    cases += tally.cases;
    failures += tally.failures.length;
    for (const failure of tally.failures) keep(failure);
    if (stretches.length % (20 * chosen.length) === 0) {
      console.error(`${cases} mutants, ${failures} failures …`);
    }
  }
  runner.close();
}
await Promise.all(Array.from({ length: Number(values.jobs) }, job));

const percent = (part: number, of: number) =>
  of > 0 ? `${((100 * part) / of).toFixed(1)} %` : '-';
for (const [target, { cases, read, summed, behind, slowest, failures }] of tallies) {
  console.log(
    `${target.padEnd(16)} ${String(cases).padStart(8)}  read ${percent(read, cases).padStart(7)}` +
      `  behind its checksums ${percent(behind, summed).padStart(7)}` +
      `  slowest ${slowest.ms.toFixed(0).padStart(5)} ms (${slowest.number})  failures ${failures.length}`,
  );
}
const [summed, behind] = [...tallies.values()].reduce(
  ([s, b], tally) => [s + tally.summed, b + tally.behind],
  [0, 0],
);
const minutes = (performance.now() - started) / 60_000;
console.log(
  `${cases} mutants of ${tallies.size} readers in ${minutes.toFixed(0)} min, ${failures} failures; ` +
    `behind checksums ${percent(behind, summed)} where there are any`,
);
process.exitCode = failures === 0 ? 0 : 1;
