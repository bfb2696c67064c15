import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { noticeOf, noticesText } from '../../scripts/notices.ts';
import { highwater, place } from '../support/recorder.ts';

const RECORDING = resolve('test/fixtures/recordings/v4.hw');

/** Names of the packages that a source map's files come from: another witness than the build's own. */
function packagesIn(maps: readonly string[]): string[] {
  const sources = maps.flatMap((text) => (JSON.parse(text) as { sources: string[] }).sources);
  const names = sources.map((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

/** What a notice must hold of an installed package. */
function expected(name: string) {
  const folder = join('node_modules', name);
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))!;
  return {
    title: `${name} ${version} (${license})`,
    text: readFileSync(join(folder, file), 'utf8').replace(/\r\n/g, '\n').trim(),
  };
}

describe('the notices of bundled packages', () => {
  let page: string[];
  const program = packagesIn(
    readdirSync('dist')
      .filter((name) => name.endsWith('.js.map'))
      .map((name) => readFileSync(join('dist', name), 'utf8')),
  );

  beforeAll(async () => {
    const workers = readdirSync('src/web', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('-worker.ts'))
      .map((file) => join('src/web', file));
    const { outputFiles } = await build({
      entryPoints: ['src/web/main.tsx', ...workers],
      outdir: place('bundle'),
      bundle: true,
      write: false,
      minify: true,
      sourcemap: 'external',
      jsxImportSource: 'preact',
      jsx: 'automatic',
    });
    page = packagesIn(
      outputFiles.filter(({ path }) => path.endsWith('.js.map')).map(({ text }) => text),
    );
  });

  it('are in the build, each with its version and whole licence', () => {
    expect(program).toEqual(expect.arrayContaining(['commander', 'fflate']));
    expect(page).toEqual(expect.arrayContaining(['preact', '@preact/signals', 'd3-array']));
    const notices = readFileSync('dist/THIRD-PARTY-NOTICES', 'utf8');
    for (const name of [...program, ...page]) {
      const { title, text } = expected(name);
      expect(notices.split('\n')).toContain(title);
      expect(notices).toContain(text);
    }
    const titles = notices.match(/^\S+ \d+\.\S+ \(.+\)$/gm)!;
    const names = titles.map((title) => title.split(' ')[0]);
    expect(names.sort()).toEqual([...new Set([...program, ...page])].sort());
  });

  it('of the page are at the end of a one-file report, in a comment that nothing in them ends', async () => {
    const file = place('report.html');
    const { code, stderr } = await highwater(['report', RECORDING, '--html', file]);
    expect(code, stderr).toBe(0);
    const html = readFileSync(file, 'utf8');
    const comment = /<!--([\s\S]*)-->\n<\/body>\n<\/html>\n$/.exec(html.slice(-100_000))![1]!;
    expect(comment).not.toContain('--');
    for (const name of page) {
      const { title, text } = expected(name);
      expect(comment).toContain(title);
      expect(comment).toContain(text.replace(/-(?=-)/g, '- '));
    }
    expect(comment).not.toContain('commander');
  });

  it('are made of what a package says where it has no licence text, or there is no build', () => {
    const made = (name: string, manifest: object, files: Record<string, string> = {}) => {
      const folder = place(name);
      mkdirSync(folder);
      writeFileSync(
        join(folder, 'package.json'),
        JSON.stringify({ name, version: '1.2.3', ...manifest }),
      );
      for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
      return folder;
    };
    const bare = noticeOf(made('bare', { license: 'MIT', author: { name: 'its authors' } }));
    expect(bare).toMatchObject({
      licence: 'MIT',
      text: expect.stringContaining('MIT, by its authors'),
    });
    const files = { 'COPYING.txt': 'copy\r\nfreely\n', NOTICE: 'by us', 'license.js': 'code()' };
    const whole = noticeOf(made('whole', { license: { type: 'Apache-2.0' } }, files));
    expect(whole).toMatchObject({ licence: 'Apache-2.0', text: 'copy\nfreely\n\nby us' });
    expect(noticesText([whole, { ...whole, name: 'twin' }, whole])).toMatch(
      /\n\ntwin 1\.2\.3 \(Apache-2\.0\)\nwhole 1\.2\.3 \(Apache-2\.0\)\n\ncopy\nfreely\n\nby us\n$/,
    );
    expect(() => noticeOf(made('silent', {}, { NOTICE: 'by us' }))).toThrow(
      'silent 1.2.3 is bundled and names no licence',
    );
  });
});
