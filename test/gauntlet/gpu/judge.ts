import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { judged } from './judged.ts';
import { gpuPrograms } from './truth.ts';

/** `npx tsx test/gauntlet/gpu/judge.ts FOLDER [PATTERN]`: what reports say of recordings that run.py made, against the truth. */
const [folder, pattern = ''] = process.argv.slice(2);
if (!folder) throw new Error('name the folder that run.py wrote to');
const counts = { right: 0, honest: 0, wrong: 0 };
const rows: string[][] = [];
for (const { name, truth } of gpuPrograms()) {
  const path = join(folder, `${name}.hwz`);
  if (!existsSync(path) || !new RegExp(pattern).test(name)) continue;
  const { mark, told, held, serving, wrongAdvice } = await judged(path, truth);
  counts[mark]++;
  const yes = (value: boolean | null) => (value === null ? '' : value ? 'yes' : 'NO');
  rows.push([name, truth.cause, mark, yes(held), yes(serving), wrongAdvice ?? '', told]);
}
const head = ['program', 'cause', 'verdict', 'held', 'serves', 'wrong advice', 'told'];
const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => row[i]!.length)));
for (const row of [head, ...rows]) {
  console.log(
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd(),
  );
}
console.log(`\n${counts.right} right, ${counts.honest} honest, ${counts.wrong} wrong`);
process.exitCode = counts.wrong > 0 ? 1 : 0;
