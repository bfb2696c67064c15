import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { circles, importsOf, sourceFiles } from './imports.ts';

/**
 * The house in figures: `npm run house` prints how many files src has and how large they are, which
 * of them one file alone imports, circles of imports (types counted), and names of exported types
 * that several files declare. `npm run house -- --all` names the files behind each figure.
 *
 * A file that one other imports is fine where a list names its members (formats, verbs, a folder's
 * index), or where a test looks at it by itself; the others are asked whether they deserve a file.
 */
const LISTS =
  /(^|\/)(index\.tsx?|verbs\.ts|heaps\.ts|kinds\.ts|sections\.ts)$|^src\/analyses\/report\.ts$/;

const all = process.argv.includes('--all');
const files = sourceFiles('src');
const imports = files.flatMap(importsOf).filter(({ to }) => to.startsWith('src/'));
const elsewhere = new Set(
  ['test', 'bench', 'scripts', 'examples']
    .flatMap(sourceFiles)
    .flatMap(importsOf)
    .map(({ to }) => to),
);

const lines = files.map((file) => ({ file, lines: readFileSync(file, 'utf8').split('\n').length }));
const sorted = lines.toSorted((a, b) => a.lines - b.lines);
const importers = new Map<string, Set<string>>(files.map((file) => [file, new Set()]));
for (const { from, to } of imports) importers.get(to)?.add(from);
const single = files.filter((file) => importers.get(file)!.size === 1);
const satellites = single.filter((file) => {
  const [importer] = importers.get(file)!;
  return !elsewhere.has(file) && !LISTS.test(importer!);
});

const declared = new Map<string, string[]>();
for (const file of files) {
  const text = readFileSync(file, 'utf8');
  for (const [, name] of text.matchAll(/^export (?:interface|type|class) (\w+)/gm)) {
    declared.set(name!, [...(declared.get(name!) ?? []), file]);
  }
}
const repeated = [...declared].filter(([, where]) => where.length > 1);

const rows: [string, string | number, string[]][] = [
  ['files in src', files.length, []],
  ['lines', lines.reduce((sum, { lines }) => sum + lines, 0), []],
  ['lines of the median file', sorted[sorted.length >> 1]!.lines, []],
  ['lines of the largest', sorted.at(-1)!.lines, [sorted.at(-1)!.file]],
  ['files with one importer', single.length, []],
  [
    '  tests and lists aside',
    satellites.length,
    satellites.map((file) => `${file} ← ${[...importers.get(file)!][0]}`),
  ],
  ['circles, types counted', circles(imports).length, circles(imports).map((c) => c.join(', '))],
  [
    'exported type names declared in several files',
    repeated.length,
    repeated.map(([name, where]) => `${name}: ${where.join(', ')}`),
  ],
  ['folders', new Set(files.map(dirname)).size, []],
];
for (const [name, figure, named] of rows) {
  console.log(`${name.padEnd(48)}${String(figure).padStart(7)}`);
  if (all) for (const line of named) console.log(`    ${line}`);
}
