import { alignColumns } from '../../../src/base/text.ts';
import { KINDS } from './kinds.ts';
import { limitsTable } from './limits.ts';
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
  s.kind.truth === 'none' ? '' : percent(s.bounded / s.series),
  s.kind.truth === 'large' ? percent(s.clear.found / s.clear.series) : '',
]);
const head = [
  'series',
  'leak',
  'plateau',
  'bounded',
  'inconclusive',
  'within the bound',
  'leak, clear of long-run noise',
];
for (const line of alignColumns([head, ...rows], new Set([1, 2, 3, 4, 5, 6]))) console.log(line);
const all = summary(scores);
console.log(`
${seeds} series of each kind, seeds ${from} to ${from + seeds - 1}
false alarms       ${percent(all.falseAlarms)}, worst kind ${percent(all.worstFalseAlarms)}
large leaks found  ${percent(all.found)}, worst kind ${percent(all.worstFound)}
  clear of long-run noise  ${percent(all.clearFound)}, worst kind ${percent(all.worstClearFound)}
within the bound   ${percent(all.bounded)}, worst kind ${percent(all.worstBounded)}
leaks called none  ${percent(all.wronglyCleared)}, worst kind ${percent(all.worstWronglyCleared)}

found at exactly five standard deviations of the noise: of single values, and in the long run`);
for (const line of limitsTable(from, Math.min(300, seeds))) console.log(line);
console.log(`${((performance.now() - started) / 1000).toFixed(1)} s`);
