import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { block, htmlFile } from '../src/server/html-file.ts';
import { type Notice, noticesOf, noticesText } from './notices.ts';

/**
 * Writes `<out>/highwater-viewer.html`: the page of `<out>/web` with the readers and the analyses in it, in one file that opens from
 * a disk. Whatever of Node would get into it fails here.
 */
export async function buildViewer(out: string, version: string): Promise<Notice[]> {
  const { outputFiles, metafile } = await build({
    entryPoints: ['src/viewer/viewer-worker.ts'],
    write: false,
    metafile: true,
    bundle: true,
    format: 'iife',
    platform: 'browser',
    target: ['chrome110', 'firefox115', 'safari16.4'],
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
    define: { HIGHWATER_VERSION: JSON.stringify(version) },
    alias: { 'node:zlib': './src/viewer/zlib.ts' },
  });
  const folder = join(out, 'web');
  const text = (name: string) => readFileSync(join(folder, name), 'utf8');
  const workers = readdirSync(folder).filter((name) => name.endsWith('-worker.js'));
  const notices = noticesOf(metafile);
  const code = {
    script: text('app.js'),
    style: text('app.css'),
    notices: `${text('notices.txt')}\n${noticesText(notices)}`,
  };
  const blocks = [
    block('worker:viewer-worker', 'script', outputFiles[0]!.contents),
    ...workers.map((name) =>
      block(`worker:${name.slice(0, -3)}`, 'script', readFileSync(join(folder, name))),
    ),
  ];
  writeFileSync(join(out, 'highwater-viewer.html'), htmlFile(code, blocks).join(''));
  return notices;
}
