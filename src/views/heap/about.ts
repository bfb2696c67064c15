import { formatBytes } from '../../base/bytes.ts';
import { alignColumns, printable } from '../../base/text.ts';
import type { HeapAbout } from '../../model/heap/graph.ts';

/** What the process holds beside its objects, so that the figures add up to what the system says. */
export function aboutText({ rss, beyond, warnings }: HeapAbout, heapSize: number): string {
  const lines: string[] = [];
  if (rss !== undefined) {
    const rows = [
      ['objects', formatBytes(heapSize)],
      ...Object.entries(beyond ?? {}).map(([name, bytes]) => [name, formatBytes(bytes)]),
      ['resident', formatBytes(rss)],
    ];
    lines.push(
      'Beyond the objects:',
      ...alignColumns(rows, new Set([1])).map((line) => `  ${line}`),
    );
  }
  lines.push(...warnings.map((text) => `note: ${printable(text)}`));
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}
