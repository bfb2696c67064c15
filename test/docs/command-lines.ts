import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A line of a document that calls highwater. */
export interface CommandLine {
  readonly file: string;
  readonly line: number;
  /** As it is written, continued lines put together, without its comment. */
  readonly text: string;
  /** Between backticks, where a flag may be named without its value. */
  readonly inline: boolean;
  /** What the document shows below it, of a line that begins with `$`. */
  readonly shown: readonly string[];
  /** What a comment right above the block says to the tests, `<!-- figures vary -->` (shown.ts); else ''. */
  readonly note: string;
}

/** The documents that users read. */
export function documents(): string[] {
  const docs = readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name));
  return ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', ...docs.sort()];
}

/** In blocks, which are indented or fenced, and between backticks. */
export function commandLines(file: string): CommandLine[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const found: CommandLine[] = [];
  let fenced = false;
  let note = '';
  lines.forEach((line, i) => {
    if (/^\s*```/.test(line)) fenced = !fenced;
    note =
      /^\s*<!-- (.*) -->$/.exec(line)?.[1] ?? (fenced || /^( {4}.*|\s*)$/.test(line) ? note : '');
    const block = fenced ? line : /^ {4,}(.*)/.exec(line)?.[1];
    const start = block === undefined ? null : /^\s*(\$ )?(?:npx )?(highwater [a-z].*)/.exec(block);
    if (start) {
      const [text, rows] = continued(start[2]!, lines.slice(i + 1));
      const shown = start[1] ? outputBelow(lines.slice(i + 1 + rows)) : [];
      found.push({ file, line: i + 1, text: withoutComment(text), inline: false, shown, note });
    } else if (block === undefined) {
      for (const [, text] of line.matchAll(/`(?:npx )?(highwater [a-z][^`]*)`/g)) {
        const inline = { text: withoutComment(text!), inline: true, shown: [], note: '' };
        found.push({ file, line: i + 1, ...inline });
      }
    }
  });
  return found;
}

function continued(first: string, rest: readonly string[]): [string, number] {
  let [text, rows] = [first, 0];
  while (text.endsWith('\\')) text = `${text.slice(0, -1)} ${rest[rows++]?.trim() ?? ''}`;
  return [text, rows];
}

function outputBelow(lines: readonly string[]): string[] {
  const end = lines.findIndex((line) => /^ {4,}\$ |^\S/.test(line));
  const block = (end < 0 ? lines : lines.slice(0, end)).map((line) => line.replace(/^ {4}/, ''));
  return block.filter((line) => line.trim() !== '');
}

const withoutComment = (text: string) => text.replace(/\s+# .*$/, '').trim();

/** The calls of highwater within a line of shell, each as its words. */
export function calls(text: string): string[][] {
  const commands: string[][] = [[]];
  for (const [, single, double, sign, plain] of text.matchAll(
    /'([^']*)'|"([^"]*)"|(\|\||&&|[|;&](?=\s|$)|2?>>?\s*\S+)|([^\s'"]+)/g,
  )) {
    if (sign === undefined) commands.at(-1)!.push(single ?? double ?? plain!);
    else if (!sign.includes('>')) commands.push([]);
  }
  return commands.filter(([first]) => first === 'highwater').map((words) => words.slice(1));
}
