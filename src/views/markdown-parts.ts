import { printable } from '../base/text.ts';
import type { TextTable } from './table.ts';

/**
 * Text that came out of a recording, made literal: it must not become a link, an image, a tag or
 * a new cell in whatever renders this. Entities work in every dialect, backslashes not in tables.
 */
export function escapeMarkdown(text: string): string {
  return printable(text).replace(/[&<>|`*_[\]\\~#@!$]|:\/\//g, (found) =>
    found === '://' ? '&#58;//' : `&#${found.charCodeAt(0)};`,
  );
}

export function markdownTable({ head, body, right, rest }: TextTable): string {
  if (body.length === 0) return '';
  const line = (cells: readonly string[]) => `| ${cells.map(escapeMarkdown).join(' | ')} |`;
  const rule = `|${head.map((_, i) => (right.has(i) ? '---:' : '---')).join('|')}|`;
  const lines = [line(head), rule, ...body.map(line)];
  return rest ? `${lines.join('\n')}\n\n${escapeMarkdown(rest)}` : lines.join('\n');
}

/** Sentences, each with a bullet. */
export const markdownList = (texts: readonly string[]): string =>
  texts.map((text) => `- ${escapeMarkdown(text)}`).join('\n');
