import type { HeapPaths } from '../../analyses/heap/paths.ts';
import { printable } from '../../base/text.ts';

/** Shortest paths as Heapy lists them. */
export function pathsText({ paths, count, from, distance }: HeapPaths): string {
  if (distance === null) return 'No root leads to these objects: they wait to be collected.\n';
  const width = String(Math.max(0, from + paths.length - 1)).length + 1;
  const lines = paths.map(
    ({ text }, i) => `${String(from + i).padStart(width)}: ${printable(text)}`,
  );
  const more = count - from - paths.length;
  if (more > 0) lines.push(`<... ${wholeNumber(more)} more paths ...>`);
  return `${lines.join('\n')}\n`;
}

/** Ways multiply, and past 2⁵³ they are not counted exactly. */
const wholeNumber = (value: number) =>
  value < 1e15 ? String(value) : `about ${value.toExponential(1)}`;
