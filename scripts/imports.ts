import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** One import of a file, as its text says: `to` is a path from the repository, or a package's name. */
export interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

export function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('node_modules'))
    .map((file) => join(folder, file))
    .sort();
}

/** What a file imports, statically or when it runs; a worker's file counts, as it is started by path. */
export function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const statement =
    /\b(?:import|export)\s+(type\s+)?(?:[\w*\s{},$]+\sfrom\s*)?'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/g;
  return [...text.matchAll(statement)].map((match) => {
    const named = match[2] ?? match[3]!;
    const to = named.startsWith('.') ? normalize(join(dirname(file), named)) : named;
    return { from: file, to, typeOnly: match[1] !== undefined };
  });
}

/** Groups of files that import each other in a circle, `import type` counted: Tarjan's algorithm. */
export function circles(imports: readonly Import[]): string[][] {
  const next = new Map<string, string[]>();
  for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to]);
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (file: string) => {
    index.set(file, index.size);
    low.set(file, index.get(file)!);
    stack.push(file);
    for (const to of next.get(file) ?? []) {
      if (!index.has(to)) visit(to);
      if (stack.includes(to)) low.set(file, Math.min(low.get(file)!, low.get(to)!));
    }
    if (low.get(file) !== index.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1) found.push(group);
  };
  for (const file of next.keys()) if (!index.has(file)) visit(file);
  return found;
}
