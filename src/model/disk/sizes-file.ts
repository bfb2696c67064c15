import { join } from 'node:path';
import { hideSecrets } from '../../base/secrets/index.ts';
import { type ProcessSizes, readImports, readSizes, type SizesAt } from '../sizes.ts';
import { folderFiles, replaceFile } from './files.ts';

/** Beside a recording's tables: what its processes reported of their sizes. Only where that was asked for. */
export const SIZES_FILE = 'sizes.json';

export interface ReportedSizes {
  readonly at: string;
  readonly rank: number | null;
  /** As it was received. */
  readonly value: unknown;
}

export function writeSizes(folder: string, reported: readonly ReportedSizes[]): void {
  replaceFile(join(folder, SIZES_FILE), `${JSON.stringify({ told: hideSecrets(reported) })}\n`);
}

/** What was reported and can be read, the largest process first. */
export function readSizesFile(folder: string): SizesAt[] {
  const bytes = folderFiles(folder).read(SIZES_FILE);
  return bytes === null ? [] : parseSizes(bytes);
}

/** The same of the file's content; what is damaged tells nothing. */
export function parseSizes(bytes: Uint8Array): SizesAt[] {
  let reported: unknown;
  try {
    reported = (JSON.parse(new TextDecoder().decode(bytes)) as { told?: unknown } | null)?.told;
  } catch {
    return [];
  }
  const found = (Array.isArray(reported) ? reported : []).flatMap(
    (one: Partial<ReportedSizes> | null) => {
      const sizes = readSizes(one?.value);
      if (!sizes) return [];
      const rank = typeof one?.rank === 'number' ? one.rank : null;
      return [{ at: String(one?.at ?? ''), rank, sizes, imports: readImports(one?.value) }];
    },
  );
  return found.sort((a, b) => b.sizes.topsize - a.sizes.topsize);
}

/** Writes sizes back, complete: without what was needed to measure imports. */
export function completeSizes(folder: string, all: readonly SizesAt[]): void {
  const reported = all.map(({ at, rank, sizes }) => ({ at, rank, value: sizes as ProcessSizes }));
  writeSizes(folder, reported);
}
