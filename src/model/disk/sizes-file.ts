import { join } from 'node:path';
import { type ProcessSizes, readImports, readSizes, type SizesAt } from '../sizes.ts';
import { folderFiles, replaceFile } from './files.ts';

/** Beside a recording's tables: what its processes told of their sizes. Only where that was asked for. */
const SIZES_FILE = 'sizes.json';

export interface ToldSizes {
  readonly at: string;
  readonly rank: number | null;
  /** As it was told. */
  readonly value: unknown;
}

export function writeSizes(folder: string, told: readonly ToldSizes[]): void {
  replaceFile(join(folder, SIZES_FILE), `${JSON.stringify({ told })}\n`);
}

/** What was told and can be read, the largest process first. */
export function readSizesFile(folder: string): SizesAt[] {
  const bytes = folderFiles(folder).read(SIZES_FILE);
  if (bytes === null) return [];
  let told: unknown;
  try {
    told = (JSON.parse(new TextDecoder().decode(bytes)) as { told?: unknown } | null)?.told;
  } catch {
    return [];
  }
  const found = (Array.isArray(told) ? told : []).flatMap((one: Partial<ToldSizes> | null) => {
    const sizes = readSizes(one?.value);
    if (!sizes) return [];
    const rank = typeof one?.rank === 'number' ? one.rank : null;
    return [{ at: String(one?.at ?? ''), rank, sizes, imports: readImports(one?.value) }];
  });
  return found.sort((a, b) => b.sizes.topsize - a.sizes.topsize);
}

/** Writes sizes back, complete: without what was needed to measure imports. */
export function completeSizes(folder: string, all: readonly SizesAt[]): void {
  const told = all.map(({ at, rank, sizes }) => ({ at, rank, value: sizes as ProcessSizes }));
  writeSizes(folder, told);
}
