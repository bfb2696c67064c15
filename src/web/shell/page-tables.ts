import { escapeMarkdown, markdownTable } from '../../views/markdown-parts.ts';

/** The tables that a page shows, for a page that no command has a text for. */
export function tablesMarkdown(title: string): string {
  const tables = [...document.querySelectorAll<HTMLTableElement>('main table[aria-label]')];
  const texts = (cells: Iterable<Element>) =>
    [...cells].map((cell) => (cell.textContent ?? '').trim().slice(0, 300));
  const written = tables.map((table) => {
    const heads = [...table.querySelectorAll('thead th')];
    return [
      `### ${escapeMarkdown(table.getAttribute('aria-label')!)}`,
      markdownTable({
        head: texts(heads).map((text) => text.replace(/ [↓↑]$/, '')),
        rest: '',
        body: [...table.querySelectorAll('tbody tr')].map((row) => texts(row.children)),
        right: new Set(
          heads.flatMap((head, i) => (head.classList.contains('figure-cell') ? [i] : [])),
        ),
      }),
    ].join('\n\n');
  });
  return `${[`**${escapeMarkdown(title)}**`, ...written].join('\n\n')}\n`;
}
