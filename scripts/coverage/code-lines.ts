import { readFileSync } from 'node:fs';
import { transformSync } from 'esbuild';
import { segments } from './source-map.ts';

/**
 * The lines of a TypeScript file, from zero, that can run at all: those that are still there when its
 * types are taken out, without imports, re-exports and lines of nothing but closing brackets.
 */
export function codeLines(path: string): Set<number> {
  const text = readFileSync(path, 'utf8');
  const { code, map } = transformSync(text, {
    loader: path.endsWith('x') ? 'tsx' : 'ts',
    jsx: 'automatic',
    sourcemap: 'external',
    sourcefile: path,
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  const written = text.split('\n');
  const made = code.split('\n');
  const { mappings } = JSON.parse(map) as { mappings: string };
  const lengths = made.map((line) => line.length);
  const { offset, line } = segments(mappings, lengths);
  const lines = new Set<number>();
  let [next, end] = [0, 0];
  let naming = false; // inside a statement that only names other files
  for (const row of made) {
    naming ||= /^(import\b(?!\()|export (\{|\*))/.test(row);
    end += row.length + 1;
    for (; next < offset.length && offset[next]! < end; next++) {
      if (!naming && !/^[\s})\];,]*$/.test(written[line[next]!] ?? '')) lines.add(line[next]!);
    }
    if (row.endsWith(';')) naming = false;
  }
  return lines;
}
