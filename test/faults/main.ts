import { parseArgs } from 'node:util';
import { random } from '../support/random.ts';
import { type CutResult, fullAfter, killedAfter, limitedTo, overQuotaOf } from './cuts.ts';

/**
 * `npm run faults -- [--kills 100] [--disks 20] [--limits 5] [--quotas 5] [--seed N]`, after a build and as
 * root: recordings cut short at so many moments, each opened and checked.
 */
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    disks: { type: 'string', default: '20' },
    limits: { type: 'string', default: '5' },
    quotas: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
  },
});
const next = random(Number(values.seed));
const many = (n: string, one: () => Promise<CutResult>) =>
  Array.from({ length: Number(n) }, () => one);
const work = [
  ...many(values.kills, () => killedAfter(next() * 3500)),
  ...many(values.disks, () => fullAfter(Math.round(24 + next() * 380))),
  ...many(values.limits, () => limitedTo(Math.round(24 + next() * 120))),
  ...many(values.quotas, () => overQuotaOf(Math.round(30 + next() * 300))),
];
const results: CutResult[] = [];
for (const one of work) {
  const result = await one();
  results.push(result);
  const { cut, says, exit, wrong } = result;
  console.log(
    `${cut.padEnd(30)} check ${exit}  ${says || 'whole'}${wrong ? `  WRONG: ${wrong}` : ''}`,
  );
}
const count = (is: (result: CutResult) => boolean) => results.filter(is).length;
console.log(
  `${results.length} recordings cut short: ${count(({ complete }) => complete === false)} incomplete and said so, ` +
    `${count(({ complete }) => complete === true)} whole, ${count(({ complete }) => complete === null)} cut before there was one; ` +
    `check green on ${count(({ exit }) => exit === 0)}, wrong in ${count(({ wrong }) => wrong !== null)}`,
);
process.exitCode = results.some(({ wrong }) => wrong !== null) ? 1 : 0;
