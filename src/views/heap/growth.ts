import type { GrowthRow, HeapGrowth } from '../../analyses/heap/growth/index.ts';
import { formatBytes, formatDelta } from '../../base/bytes.ts';
import { count, printable } from '../../base/text.ts';
import { placesText } from './places.ts';

const MOST_ROWS = 5;
const TITLES: Readonly<Record<GrowthRow['verdict'], string>> = {
  candidate: 'Candidates: grew from each heap to the next. A candidate is no proof of a leak.',
  uneven: 'Uneven: grew, but not at each step.',
  settled: 'Settled: grew first, and then no more.',
  artifact: 'Artifacts: what the runtime or Highwater itself made; not the program.',
};

/** Growth over several heaps: by who holds it, then by kind. */
export function growthText(growth: HeapGrowth, all = false): string {
  const { heaps, rows, small } = growth;
  const sizes = heaps.map(({ size }) => formatBytes(size)).join(' → ');
  const candidates = rows.filter(({ verdict }) => verdict === 'candidate').length;
  const blocks = [
    [`${count(heaps.length, 'heap')}: ${sizes}\n${placesText(growth, all).trimEnd()}`],
    [`By kind: ${candidates === 0 ? 'none grew at each step' : count(candidates, 'candidate')}.`],
  ];
  for (const [verdict, title] of Object.entries(TITLES)) {
    const found = rows.filter((row) => row.verdict === verdict);
    const most = all ? found.length : MOST_ROWS;
    if (found.length === 0) continue;
    const more = found.length - most;
    const rest = more > 0 ? [`  and ${count(more, 'more kind')}`] : [];
    blocks.push([title, ...found.slice(0, most).flatMap(lines), ...rest]);
  }
  if (small > 0) blocks.push([`${count(small, 'kind')} grew by less than 10 kB in all.`]);
  return `${blocks.map((block) => block.join('\n')).join('\n\n')}\n`;
}

function lines(row: GrowthRow): string[] {
  const { kind, counts, sizes, verdict, evidence, newObjects, retained, path } = row;
  const own = sizes.at(-1)! - sizes[0]!;
  // Of those that were there before, nobody knows what came to be held by which.
  const isOfNew = newObjects !== null && retained !== null;
  const themselves = isOfNew ? `, ${formatDelta(own)} themselves` : '';
  const held =
    newObjects === null && retained !== null ? `; all hold ${formatBytes(retained)}` : '';
  const why = verdict === 'candidate' ? '' : `; ${evidence}`;
  const counted = `${counts.join(' → ')} objects${themselves}${held}${why}`;
  const found = [`  ${formatDelta(isOfNew ? retained : own)}  ${printable(kind)}: ${counted}`];
  const fresh =
    newObjects === null
      ? ''
      : newObjects === 0
        ? 'none is new: they became larger'
        : `${newObjects} new`;
  const most = path === null ? '' : `${newObjects === null ? 'one' : 'most'} at ${printable(path)}`;
  const all = [fresh, most].filter(Boolean).join(', ');
  if (all !== '') found.push(`      ${all}`);
  return found;
}
