import { formatBytes, formatDelta } from '../../base/bytes.ts';
import { count } from '../../base/text.ts';
import type { Verdict } from '../../model/verdict.ts';
import type { GrownPlaces, HeapGrowth, HeapTable, StatDifference } from '../heap/index.ts';
import { VerdictBuilder } from './builder.ts';

const HEAP_AGAIN = ['--ask', '0.paths', '--json'] as const;

/** What a heap is made of. */
export function heapVerdict(table: HeapTable): Verdict {
  const words = new VerdictBuilder(table);
  const all = `${formatBytes(table.size)} in ${count(table.count, 'object')}`;
  words.evidence('/size', 'bytes', `all objects: ${all}`);
  for (const { index, kind, count: many, size } of table.rows.slice(0, 4)) {
    const at = table.rows.findIndex((row) => row.index === index);
    const what = words.theirs('kind', kind);
    words.evidence(
      `/rows/${at}/size`,
      'bytes',
      `${what}: ${formatBytes(size)} in ${count(many, 'object')}`,
    );
  }
  const [most] = table.rows;
  words.next('who holds the largest kind', 'heap', '{input}', ...HEAP_AGAIN);
  if (!most) return words.build('held-by', 'certain', 'The heap has no objects.');
  const kind = words.theirs('kind', most.kind);
  return words.build(
    'held-by',
    'certain',
    `${all}; most of one kind: ${kind}, ${formatBytes(most.size)}.`,
  );
}

/** What changed between two heaps, which cannot tell growth from chance. */
export function heapDifferenceVerdict(difference: StatDifference & Partial<GrownPlaces>): Verdict {
  const words = new VerdictBuilder(difference);
  const { a, b, rows } = difference;
  const change = a.size - b.size;
  words.evidence('/a/size', 'bytes', `the later heap: ${formatBytes(a.size)}`);
  words.evidence('/b/size', 'bytes', `the earlier heap: ${formatBytes(b.size)}`);
  addPlaces(difference, words);
  const [most] = rows;
  if (most) {
    const kind = words.theirs('kind', most.kind);
    words.evidence('/rows/0/size', 'bytes', `changed most: ${kind}, ${formatDelta(most.size)}`);
  }
  words.against('/rows', null, 'two heaps cannot tell growth from chance: take a third');
  words.next('three heaps tell what goes on growing', 'record', '--heap', '3', '--', '{command}');
  const sentence = `The later heap holds ${formatDelta(change)}: ${formatBytes(b.size)} before, ${formatBytes(a.size)} after.`;
  return words.build(change > 0 ? 'grows' : 'alike', 'possible', sentence);
}

/** What grows over three heaps and more. */
export function heapGrowthVerdict(growth: HeapGrowth): Verdict {
  const words = new VerdictBuilder(growth);
  const { heaps, rows, containers, notMatched } = growth;
  addPlaces(growth, words);
  for (const [i, row] of rows.entries()) {
    if (row.verdict !== 'candidate') continue;
    const kind = words.theirs('kind', row.kind);
    const grown = formatDelta(row.sizes.at(-1)! - row.sizes[0]!);
    words.evidence(
      `/rows/${i}/sizes/${row.sizes.length - 1}`,
      'bytes',
      `grew at each step: ${kind}, ${grown}`,
    );
  }
  if (notMatched !== null) {
    words.against(
      '/notMatched',
      null,
      `who holds more is not known: ${words.theirs('why', notMatched, 120)}`,
    );
  }
  const sizes = heaps.map(({ size }) => formatBytes(size)).join(' → ');
  const place = containers?.find(({ verdict }) => verdict === 'candidate');
  const grows = rows.some(({ verdict }) => verdict === 'candidate');
  if (place) {
    const name = words.theirs('place', place.place, 120);
    const sentence = `${count(heaps.length, 'heap')}, ${sizes}: ${name} grows, by ${formatBytes(place.grown)} since the first.`;
    words.fix('let-go', `let go of what ${name} keeps, or bound it`, { low: 0, high: place.grown });
    return words.build('grows', 'likely', sentence);
  }
  const sentence = `${count(heaps.length, 'heap')}, ${sizes}: ${grows ? 'some kinds grew at each step' : 'nothing grew at each step'}.`;
  return words.build(grows ? 'grows' : 'alike', grows ? 'possible' : 'likely', sentence);
}

function addPlaces({ containers }: Partial<GrownPlaces>, words: VerdictBuilder): void {
  for (const [i, { place, grown }] of (containers ?? []).slice(0, 3).entries()) {
    const name = words.theirs('place', place, 120);
    words.evidence(
      `/containers/${i}/grown`,
      'bytes',
      `${name} holds ${formatDelta(grown)} since the first`,
    );
  }
}

/** Questions that were asked of a heap; each has its own answer. */
export function heapAnswersVerdict(result: { readonly answers: readonly unknown[] }): Verdict {
  const words = new VerdictBuilder(result);
  const asked = count(result.answers.length, 'question');
  words.evidence('/answers/0', null, 'the first answer');
  return words.build('answers', 'certain', `${asked} of this heap answered.`);
}
