import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CACHE } from './cache.ts';
import { startLoad } from './load.ts';
import { loadText, watchLoad } from './machine-load.ts';
import { type Program, programs, SETS } from './programs.ts';
import { type Outcome, runProgram } from './run.ts';
import { formatOutcomes, formatProgress, formatTotals, totalsOf } from './table.ts';

/**
 * `npm run gauntlet -- [--set tuning|held-out|unseen|fresh|all] [--only PATTERN] [--quick] [--load] [--jobs N] [--json FILE] [--keep]`:
 * programs with known truth, recorded and judged as a user's are.
 */
const { values } = parseArgs({
  options: {
    set: { type: 'string', default: 'tuning' },
    only: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    load: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '1' },
    json: { type: 'string' },
    keep: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});
if (values.set !== 'all' && !SETS.includes(values.set as never)) {
  throw new Error(`--set is ${SETS.join(', ')} or all`);
}
const only = new RegExp(values.only);
const chosen = programs().filter(
  ({ name, set, truth }) =>
    (values.set === 'all' || values.set === set) &&
    only.test(name) &&
    (truth.quick || !values.quick),
);
if (values.list) {
  for (const { name, set, truth } of chosen)
    console.log(`${set}  ${truth.leak ? 'leak ' : 'clean'}  ${name}`);
  process.exit(0);
}

const load = values.load ? startLoad() : null;
const machine = watchLoad();
const outcomes: Outcome[] = [];
const waiting: Program[] = [...chosen];
const worker = async () => {
  for (let program = waiting.shift(); program; program = waiting.shift()) {
    const place = program.name.replaceAll(/[^\w.-]+/g, '-');
    const folder = join(CACHE, 'runs', values.keep ? place : `${process.pid}-${place}`);
    const outcome = await runProgram(program, folder, values.keep);
    outcomes.push(outcome);
    console.log(formatProgress(outcome, outcomes.length, chosen.length));
  }
};
await Promise.all(Array.from({ length: Number(values.jobs) }, worker));
load?.stop();

const totals = totalsOf(outcomes);
const during = machine();
console.log(`\n${formatOutcomes(outcomes)}\n\n${formatTotals(totals)}\n`);
console.log(`${loadText(during)}${load ? ', with the load script' : ''}`);
if (values.json) {
  writeFileSync(values.json, JSON.stringify({ totals, machine: during, outcomes }, null, 1));
}
process.exitCode = totals.wrong + totals.failed > 0 ? 1 : 0;
