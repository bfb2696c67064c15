import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { VERBS } from '../../src/cli/verbs.ts';
import { seriesNames } from '../../src/model/series.ts';
import { openInput } from '../../src/open/open.ts';
import { calls, commandLines, documents } from './command-lines.ts';

/** Stands for a name, a number or a choice: `FILE`, `N`, `[--json]`, `svg|png`, `…`. */
const PLACEHOLDER = /^[A-Z_]+$|…|\|/;

/** The words without the signs of a synopsis. */
const plain = (words: readonly string[]) =>
  words
    .map((word) => word.replace(/^\[|\]$/g, ''))
    .filter((word) => word !== '…' && word !== '...');

/** What the real command line has against these words; null when it takes them. */
async function complaint(
  [name, ...rest]: readonly string[],
  inline = false,
): Promise<string | null> {
  if (name === '--help') return rest.every((word) => word === '--all') ? null : 'is no help';
  const verb = VERBS.find((one) => one.name === name);
  if (!verb) return `there is no verb ${name}`;
  const command = (await verb.load()).command();
  command.action(() => {});
  try {
    await command.parseAsync(plain(rest), { from: 'user' });
    return null;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const { code, message } = error;
    if (inline && code === 'commander.optionMissingArgument') return null;
    const unsaid = code === 'commander.invalidArgument' || code === 'commander.missingArgument';
    return unsaid && (inline || rest.some((word) => PLACEHOLDER.test(word))) ? null : message;
  }
}

describe('every command of the documents is one that the program takes', () => {
  it.each(documents())('%s', async (file) => {
    for (const { line, text, inline } of commandLines(file)) {
      for (const words of calls(text)) {
        expect(await complaint(words, inline), `${file}:${line}: ${text}`).toBeNull();
      }
    }
  });

  it('and there are many of them', () => {
    expect(documents().flatMap(commandLines).length).toBeGreaterThan(100);
  });

  it('would say which is not', async () => {
    expect(await complaint(['reprot', 'x.hw'])).toBe('there is no verb reprot');
    expect(await complaint(['report', '--jsno'])).toMatch(/unknown option '--jsno'/);
    expect(await complaint(['record', '--rate', 'many', '--', 'x'])).toMatch(/'many' is invalid/);
    expect(await complaint(['plot', 'x', '--format', 'svg|png'])).toBeNull();
  });
});

describe('the documents are whole', () => {
  const index = readFileSync('docs/README.md', 'utf8');

  it.each(VERBS.map(({ name }) => name))('%s has a page, which the index names', (name) => {
    expect(existsSync(`docs/${name}.md`)).toBe(true);
    expect(index.split('## By verb')[1]).toContain(`[${name}](${name}.md)`);
  });

  it('the index leads to every page', () => {
    const pages = readdirSync('docs').filter(
      (name) => name.endsWith('.md') && name !== 'README.md',
    );
    expect(pages.filter((name) => !index.includes(`](${name}`))).toEqual([]);
  });

  it('and how each series is measured is told', async () => {
    const told = readFileSync('docs/measuring.md', 'utf8');
    const kept = ['recordings/v3.hw', 'docs/train.hwz'];
    const recordings = await Promise.all(kept.map((name) => openInput(`test/fixtures/${name}`)));
    const names = new Set(recordings.flatMap(seriesNames).map((name) => name.replace(/\d+/, 'N')));
    expect([...names].filter((name) => !told.includes(`\`${name}\``))).toEqual([]);
    expect(names.size).toBeGreaterThan(8);
  });
});

/** The anchors that a document's headings make. */
function anchors(file: string): string[] {
  const headings = readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, text]) =>
    text!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  );
}

describe('every link of the documents leads somewhere', () => {
  it.each(documents())('%s', (file) => {
    const text = readFileSync(file, 'utf8').replace(/^( {4}.*|```[\s\S]*?^```)$/gm, '');
    for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target!)) continue;
      const [path, anchor] = target!.split('#');
      const place = path === '' ? file : join(dirname(file), path!);
      expect(existsSync(place), `${file}: ${target}`).toBe(true);
      if (anchor) expect(anchors(place), `${file}: ${target}`).toContain(anchor);
    }
  });

  it.each(documents())('%s names files that are there', (file) => {
    const text = readFileSync(file, 'utf8');
    const named = text.matchAll(
      /`((?:src|docs|test|scripts|python|bench|examples)\/[\w./@-]*[\w/])`/g,
    );
    const gone = [...named].map(([, path]) => path!).filter((path) => !existsSync(path));
    expect(gone, file).toEqual([]);
  });
});
