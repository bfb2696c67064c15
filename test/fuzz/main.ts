import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeCase } from './child.ts';
import { FuzzRunner } from './runner.ts';
import { targets } from './targets.ts';

/**
 * `npm run fuzz -- [--seed N] [--runs N] [--seconds N] [--format ID] [--case N]`: mutants of good
 * files through every reader. The only acceptable ends are a recording and a UserError.
 */
const FAILURES = 'test/fuzz/failures';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '600' },
    format: { type: 'string' },
    case: { type: 'string' },
  },
});
const seed = Number(values.seed);
const first = values.case ? Number(values.case) : 0;
const last = values.case ? first + 1 : Number(values.runs);
const deadline = Date.now() + Number(values.seconds) * 1000;

const all = targets();
const chosen = all.filter((target) => !values.format || target.id === values.format);
if (chosen.length === 0) {
  console.error(`no format '${values.format}'; there are ${all.map((t) => t.id).join(', ')}`);
  process.exit(2);
}

const runner = new FuzzRunner();
let cases = 0;
let failures = 0;
let slowest = { ms: 0, name: '' };
for (let number = first; number < last && Date.now() < deadline; number++) {
  for (const target of chosen) {
    const result = await runner.run({ target: target.id, seed, number });
    cases++;
    if (result.ms > slowest.ms) slowest = { ms: result.ms, name: `${target.id} ${number}` };
    if (result.failure) {
      failures++;
      const { label, bytes } = makeCase(target, seed, number);
      mkdirSync(FAILURES, { recursive: true });
      const path = join(FAILURES, `${target.id}-${seed}-${number}-${label}`);
      writeFileSync(path, bytes);
      console.error(`${path}: ${result.failure}`);
    }
  }
  if (number % 500 === 499) console.error(`${cases} cases, ${failures} failures …`);
}
runner.close();
console.error(`slowest: ${slowest.ms.toFixed(0)} ms (${slowest.name})`);
console.log(`${cases} cases, ${failures} failures`);
process.exitCode = failures === 0 ? 0 : 1;
