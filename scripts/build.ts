import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { buildViewer } from './build-viewer.ts';
import { buildWeb } from './build-web.ts';
import { noticesOf, noticesText } from './notices.ts';

/**
 * Bundles the command line and its threads into dist/. One bundle with lazily loaded chunks keeps
 * the start fast; native packages stay outside, as they bring their own binaries.
 */
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

// Beside the old one, which stays until the new one is whole: a run under way goes on.
const NEW = `dist.new-${process.pid}`;
/** What Highwater itself is made of. */
const MODULES = {
  outdir: NEW,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
} as const;
const { metafile } = await build({
  entryPoints: {
    cli: 'src/cli/entry.ts',
    index: 'src/index.ts',
    'sampler-thread': 'src/record/threads/sampler-thread.ts',
    'writer-thread': 'src/record/threads/writer-thread.ts',
    'push-thread': 'src/record/push/push-thread.ts',
    'gpu-thread': 'src/record/threads/gpu-thread.ts',
    'malloc-thread': 'src/record/threads/malloc-thread.ts',
    'live-view-thread': 'src/cli/commands/record/live-view-thread.ts',
    'query-thread': 'src/server/query-thread.ts',
    'replay-thread': 'src/server/replay-thread.ts',
  },
  ...MODULES,
  metafile: true,
  splitting: true,
  external: ['koffi', '@resvg/resvg-js'],
  define: { HIGHWATER_VERSION: JSON.stringify(version) },
  // Packages in CommonJS inside an ES module still ask for `require`.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
});
// In one file, as who waits for a large trace waits for this thread to start.
await build({
  entryPoints: { 'read-thread': 'src/open/read-thread.ts' },
  ...MODULES,
});
// What Node programs of a workload load before anything else, whatever kind of module they are.
await build({
  entryPoints: {
    'node-heap': 'src/sdk/heap/preload.ts',
    'node-agent': 'src/sdk/v8/preload.ts',
  },
  outdir: NEW,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node18',
  minify: true,
  logLevel: 'warning',
});
chmodSync(`${NEW}/cli.js`, 0o755);
try {
  const notices = [
    ...noticesOf(metafile),
    ...(await buildWeb(NEW)),
    ...(await buildViewer(NEW, version)),
  ];
  writeFileSync(join(NEW, 'THIRD-PARTY-NOTICES'), noticesText(notices));
} catch (error) {
  console.error(`build: ${(error as Error).message}`);
  rmSync(NEW, { recursive: true });
  process.exit(1);
}

// Types for programs that import the package.
const tsc = spawnSync(
  'npx',
  ['--no-install', 'tsc', '-p', 'tsconfig.types.json', '--outDir', `${NEW}/types`],
  {
    stdio: 'inherit',
  },
);
if (tsc.status !== 0) process.exit(1);
dropUnreachable(`${NEW}/types`);

rmSync('dist', { recursive: true, force: true });
renameSync(NEW, 'dist');

/** Declarations are written for every file that is compiled; those that no export leads to are nobody's. */
function dropUnreachable(folder: string): void {
  const reached = new Set<string>();
  const visit = (file: string) => {
    if (reached.has(file)) return;
    reached.add(file);
    const text = readFileSync(file, 'utf8');
    for (const [, path] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.[jt]s['"]/g)) {
      visit(join(file, '..', `${path}.d.ts`));
    }
  };
  visit(join(folder, 'index.d.ts'));
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, name);
    if (file.endsWith('.d.ts') && !reached.has(file)) rmSync(file);
  }
}
