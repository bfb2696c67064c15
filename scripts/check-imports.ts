import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

/**
 * Who may import whom. Data flows one way: sources and formats fill the model, analyses read it,
 * views draw results, and the front ends sit on top. See ARCHITECTURE.md.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'index.ts': ['sdk'],
  base: [],
  model: ['base'],
  formats: ['base', 'model'],
  sources: ['base', 'model', 'formats'],
  record: ['base', 'model', 'formats', 'sources'],
  analyses: ['base', 'model'],
  views: ['base', 'model', 'analyses (types)'],
  server: ['base', 'model', 'formats', 'sources', 'record', 'analyses', 'views'],
  web: ['base', 'model', 'formats', 'analyses', 'views'],
  sdk: ['base', 'model', 'formats', 'sources', 'record', 'analyses', 'views', 'server'],
  cli: ['base', 'model', 'formats', 'sources', 'record', 'analyses', 'views', 'server', 'sdk'],
};

/** Folders that may use Node's own modules and native packages; all others also run in a browser. */
const NODE_ALLOWED = ['sources', 'record', 'server', 'sdk', 'cli', 'model/disk'];
const NATIVE = ['koffi', '@resvg/resvg-js', '@duckdb/node-api'];

/** Families whose members never import each other, only these shared files. */
const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  formats: [
    'format.ts',
    'heap-format.ts',
    'heaps.ts',
    'input.ts',
    'index.ts',
    'sample-clock.ts',
    'log-lines',
    'pickle',
  ],
  sources: ['source.ts', 'proc.ts', 'gpu.ts', 'index.ts'],
  analyses: ['report.ts', 'compare', 'panels', 'timing.ts', 'ending.ts'],
};

interface Import {
  from: string;
  to: string;
  typeOnly: boolean;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(folder, file));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const found: Import[] = [];
  const statement =
    /\b(?:import|export)\s+(type\s+)?(?:[\w*\s{},$]+\sfrom\s*)?'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/g;
  for (const match of text.matchAll(statement)) {
    found.push({ from: file, to: match[2] ?? match[3]!, typeOnly: match[1] !== undefined });
  }
  return found;
}

const problems: string[] = [];
const graph = new Map<string, string[]>();

for (const file of sourceFiles('src')) {
  const inside = relative('src', file);
  const room = inside.split('/')[0]!;
  if (!(room in ALLOWED)) {
    problems.push(`${file}: no such room as ${room}`);
    continue;
  }
  for (const { to, typeOnly } of importsOf(file)) {
    if (!to.startsWith('.')) {
      const usesNode = to.startsWith('node:') || NATIVE.includes(to);
      if (usesNode && !NODE_ALLOWED.some((place) => inside.startsWith(`${place}/`))) {
        problems.push(`${file} imports ${to}, but ${room} must also run in a browser`);
      }
      continue;
    }
    const target = normalize(join(dirname(file), to));
    if (!typeOnly) graph.set(file, [...(graph.get(file) ?? []), target]);
    const targetRoom = relative('src', target).split('/')[0]!;
    const mayImport = ALLOWED[room] ?? [];
    const allowed =
      targetRoom === room ||
      mayImport.includes(targetRoom) ||
      (typeOnly && mayImport.includes(`${targetRoom} (types)`));
    if (!allowed) problems.push(`${file} imports ${target}: ${room} may not import ${targetRoom}`);
    problems.push(...familyProblem(file, target));
  }
}

/** Two formats, two sources: each member is a file, or a folder when it is large. */
function familyProblem(file: string, target: string): string[] {
  for (const [family, shared] of Object.entries(FAMILIES)) {
    const member = (path: string) => relative(`src/${family}`, path).split('/')[0]!;
    const both = [file, target].every((path) => path.startsWith(`src/${family}/`));
    if (!both || shared.includes(member(file)) || shared.includes(member(target))) continue;
    if (member(file) !== member(target)) {
      return [`${file} imports ${target}: members of ${family} do not import each other`];
    }
  }
  return [];
}

function findCycle(): string[] | null {
  const state = new Map<string, 'open' | 'done'>();
  const path: string[] = [];
  const visit = (file: string): string[] | null => {
    if (state.get(file) === 'done') return null;
    if (state.get(file) === 'open') return [...path.slice(path.indexOf(file)), file];
    state.set(file, 'open');
    path.push(file);
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next);
      if (cycle) return cycle;
    }
    path.pop();
    state.set(file, 'done');
    return null;
  };
  for (const file of graph.keys()) {
    const cycle = visit(file);
    if (cycle) return cycle;
  }
  return null;
}

const cycle = findCycle();
if (cycle) problems.push(`import cycle: ${cycle.join(' → ')}`);
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? 'imports: in order' : `imports: ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
