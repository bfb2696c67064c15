import type { GrowthRow, HeapGrowth } from '../../analyses/heap/growth.ts';
import { formatBytes, formatDelta } from '../../base/bytes.ts';
import { count, printable } from '../../base/text.ts';

const TITLES: Readonly<Record<GrowthRow['verdict'], string>> = {
  candidate: 'Candidates: grew from each heap to the next. A candidate is no proof of a leak.',
  uneven: 'Uneven: grew, but not at each step.',
  settled: 'Settled: grew first, and then no more.',
  artifact: 'Artifacts: grow by warming up and by taking heaps; seldom the program.',
};

/** Growth over several heaps, with who holds what is new. */
export function growthText({ heaps, rows, small }: HeapGrowth): string {
  const sizes = heaps.map(({ size }) => formatBytes(size)).join(' → ');
  const candidates = rows.filter(({ verdict }) => verdict === 'candidate').length;
  const blocks = [
    [
      `${count(heaps.length, 'heap')}: ${sizes}`,
      candidates === 0 ? 'No kind grew at each step.' : `${count(candidates, 'candidate')}.`,
    ],
  ];
  for (const [verdict, title] of Object.entries(TITLES)) {
    const found = rows.filter((row) => row.verdict === verdict);
    if (found.length > 0)
      blocks.push([title, ...found.slice(0, 10).flatMap(lines), ...rest(found)]);
  }
  if (small > 0) blocks.push([`${count(small, 'kind')} grew by less than 10 kB in all.`]);
  return `${blocks.map((block) => block.join('\n')).join('\n\n')}\n`;
}

function lines({ kind, counts, sizes, evidence, newObjects, retained, path }: GrowthRow): string[] {
  const grown = formatDelta(sizes.at(-1)! - sizes[0]!);
  const found = [`  ${grown}  ${printable(kind)}: ${counts.join(' → ')} objects; ${evidence}`];
  const held = retained === null ? '' : `holding ${formatBytes(retained)}`;
  const fresh = newObjects === null ? '' : `new since the first heap: ${newObjects}`;
  const both = [fresh, held].filter(Boolean).join(', ');
  if (both !== '') found.push(`      ${both}`);
  if (path !== null) found.push(`      shortest path: ${printable(path)}`);
  return found;
}

const rest = (found: readonly GrowthRow[]) =>
  found.length > 10 ? [`  and ${found.length - 10} more kinds`] : [];
