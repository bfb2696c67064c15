import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { type Notice, noticesOf, noticesText } from './notices.ts';

/**
 * Bundles the web page into `<out>/web`. One script, without chunks: a one-file report carries it
 * as it is, where a browser could not load parts of it from a disk. Files called `…-worker.ts` are
 * threads of the page and become scripts of their own. The notices of what is in them lie beside them,
 * for the one-file report, and are returned.
 */
export async function buildWeb(out: string): Promise<Notice[]> {
  const folder = join(out, 'web');
  mkdirSync(folder, { recursive: true });
  const workers = readdirSync('src/web', { recursive: true, encoding: 'utf8' })
    .filter((file) => /-worker\.ts$/.test(file))
    .map((file) => join('src/web', file));
  const { metafile } = await build({
    entryPoints: {
      app: 'src/web/main.tsx',
      early: 'src/web/early.ts',
      ...Object.fromEntries(workers.map((file) => [basename(file, '.ts'), file])),
    },
    outdir: folder,
    metafile: true,
    bundle: true,
    format: 'iife',
    platform: 'browser',
    target: ['chrome110', 'firefox115', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    // Only where lines are counted: pages carry no map.
    sourcemap: process.env.HIGHWATER_COVERAGE ? 'external' : false,
    sourcesContent: false,
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
    define: { HIGHWATER_VERSION: '""' },
  });
  copyFileSync('src/web/index.html', join(folder, 'index.html'));
  const notices = noticesOf(metafile);
  writeFileSync(join(folder, 'notices.txt'), noticesText(notices));
  return notices;
}
