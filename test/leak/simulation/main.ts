import { alignColumns } from '../../../src/base/text.ts';
import { KINDS } from './kinds.ts';
import { score, shareOf, summary, UNTOUCHED } from './score.ts';

/** `npx tsx test/leak/simulation/main.ts [--seeds N] [--from SEED]`: how the rule does. */
const flag = (name: string, otherwise: number) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
};
const seeds = flag('--seeds', 1000);
const from = flag('--from', UNTOUCHED);
const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

const started = performance.now();
const scores = KINDS.map((kind) => score(kind, from, seeds));
const rows = scores.map((s) => [
  s.kind.name,
  ...(['leak', 'plateau', 'bounded', 'inconclusive'] as const).map((v) => percent(shareOf(s, v))),
]);
const head = ['series', 'leak', 'plateau', 'bounded', 'inconclusive'];
for (const line of alignColumns([head, ...rows], new Set([1, 2, 3, 4]))) console.log(line);
const all = summary(scores);
console.log(`
${seeds} series of each kind, seeds ${from} to ${from + seeds - 1}
false alarms       ${percent(all.falseAlarms)}, worst kind ${percent(all.worstFalseAlarms)}
large leaks found  ${percent(all.found)}, worst kind ${percent(all.worstFound)}
leaks called none  ${percent(all.wronglyCleared)}, worst kind ${percent(all.worstWronglyCleared)}
${((performance.now() - started) / 1000).toFixed(1)} s`);
