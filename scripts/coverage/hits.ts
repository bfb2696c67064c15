import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Segments, segments } from './source-map.ts';

/** What Node writes into the folder that NODE_V8_COVERAGE names; test/support/coverage.ts writes the same. */
export interface CoverageFile {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly ranges: readonly { startOffset: number; endOffset: number; count: number }[];
    }[];
  }[];
  readonly 'source-map-cache'?: Readonly<
    Record<
      string,
      {
        readonly lineLengths: readonly number[];
        readonly data: { readonly sources: readonly string[]; readonly mappings: string } | null;
      }
    >
  >;
}

/** Lines that ran in any process: by file from the repository's root, lines from zero. */
export class Hits {
  readonly lines = new Map<string, Set<number>>();
  readonly #unpacked = new Map<string, Segments>();

  add(file: CoverageFile): void {
    for (const { url, functions } of file.result) {
      const known = file['source-map-cache']?.[url];
      if (!known?.data) continue;
      const paths = known.data.sources.map((source) => ownPath(source, url));
      if (!paths.some((path) => path !== null)) continue;
      const map = this.#segments(known.data.mappings, known.lineLengths);
      const ran = new Uint8Array(map.offset.length);
      // Functions and their ranges come from the outside in, so that the innermost paints last.
      for (const { ranges } of functions) {
        for (const { startOffset, endOffset, count } of ranges) {
          ran.fill(count > 0 ? 1 : 0, from(map.offset, startOffset), from(map.offset, endOffset));
        }
      }
      const sets = paths.map((path) => (path === null ? null : this.#of(path)));
      for (let i = 0; i < ran.length; i++) if (ran[i]) sets[map.source[i]!]?.add(map.line[i]!);
    }
  }

  #of(path: string): Set<number> {
    const lines = this.lines.get(path) ?? new Set<number>();
    this.lines.set(path, lines);
    return lines;
  }

  /** Thousands of processes load the same few files. */
  #segments(mappings: string, lineLengths: readonly number[]): Segments {
    const found = this.#unpacked.get(mappings) ?? segments(mappings, lineLengths);
    this.#unpacked.set(mappings, found);
    return found;
  }
}

export function readCoverage(path: string): CoverageFile | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as CoverageFile;
  } catch {
    return null; // of a process that was killed as it wrote
  }
}

function ownPath(source: string, script: string): string | null {
  const url = new URL(source, script);
  if (url.protocol !== 'file:') return null;
  url.search = '';
  const path = relative('.', fileURLToPath(url));
  return path.startsWith('src/') ? path : null;
}

/** The first place at or after an offset. */
function from(offsets: Uint32Array, offset: number): number {
  let [low, high] = [0, offsets.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (offsets[middle]! < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
