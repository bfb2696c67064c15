import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Files } from '../../src/model/disk/recording-files.ts';

/** A recording's files in memory, so that thousands of damaged copies cost nothing. */
export function memoryFiles(files: ReadonlyMap<string, Uint8Array>, place = 'memory'): Files {
  return { place, list: () => [...files.keys()], read: (name) => files.get(name) ?? null };
}

export function readFolder(folder: string): Map<string, Uint8Array> {
  return new Map(
    readdirSync(folder).map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))]),
  );
}
