import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Heap, type HeapOptions, heapOf } from '../../analyses/heap/index.ts';
import { errnoCode, UserError } from '../../base/errors.ts';
import { HEAD_BYTES } from '../../formats/format.ts';
import type { HeapInput } from '../../formats/heap-format.ts';
import { detectHeap, HEAP_FORMATS } from '../../formats/heaps.ts';
import { isHeapyStat, readHeapyStat } from '../../formats/heapy-stat.ts';
import { makeInput } from '../../formats/input.ts';
import { fileBytes } from '../../model/disk/file-bytes.ts';
import { asUserError } from '../../model/disk/files.ts';
import type { HeapStat } from '../../model/heap/stat.ts';
import { isGzip, unpackedHead, unpackedPieces } from '../gzip.ts';
import { statOf } from '../named-file.ts';
import { isPacked, isRecordingFolder } from '../recordings.ts';
import { packedHeap, packedHeaps } from './packed.ts';
import { Progress } from './progress.ts';

/** What a file turned out to hold. */
export type Opened =
  | { readonly path: string; readonly heap: Heap; readonly stat?: undefined }
  | { readonly path: string; readonly stat: HeapStat; readonly heap?: undefined };

/** Files of heaps: those named, and of recordings those that they hold, in the order they were taken. */
export function heapFiles(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    if (packedHeap(path)) return [path];
    const folder = statOf(path).isDirectory();
    if (!folder && !isPacked(path)) return [path];
    const found = folder
      ? heapFilesIn(isRecordingFolder(path) ? join(path, 'heap') : path)
      : packedHeaps(path);
    if (found.length > 0) return found;
    const hint = folder ? 'record with --heap 3, or name a file' : 'pack takes them with --heaps';
    throw new UserError(`${path} holds no heaps`, { hint });
  });
}

/** `heap/<n>/<file>`, by number. */
export function heapFilesIn(folder: string): string[] {
  const entries = (at: string) => {
    try {
      return readdirSync(at, { withFileTypes: true });
    } catch (error) {
      if (errnoCode(error) === 'ENOENT') return [];
      throw asUserError(at, error, 'read');
    }
  };
  const isHeap = (name: string) =>
    HEAP_FORMATS.some(({ extensions }) => extensions.some((ending) => name.endsWith(ending)));
  const own = entries(folder);
  const files = (at: string, list = entries(at)) =>
    list
      .filter((entry) => entry.isFile() && isHeap(entry.name))
      .map(({ name }) => join(at, name))
      .sort();
  const numbered = own
    .filter((entry) => entry.isDirectory() && /^\d+$/.test(entry.name))
    .sort((a, b) => Number(a.name) - Number(b.name));
  return [...files(folder, own), ...numbered.flatMap(({ name }) => files(join(folder, name)))];
}

export async function openHeap(path: string, options: HeapOptions = {}): Promise<Opened> {
  const inside = packedHeap(path);
  if (!inside && !statOf(path).isFile()) throw new UserError(`${path} is no file`);
  const plain = inside ?? fileBytes(path);
  if (plain.size === 0)
    throw new UserError(`${path} is empty`, { hint: 'was it written to its end?' });
  const start = plain.readAt(0, HEAD_BYTES);
  const packed = isGzip(start);
  const head = packed ? unpackedHead(path, HEAD_BYTES) : start;
  if (isHeapyStat(head)) {
    const lines = makeInput(basename(path), () => plain.stream()).lines();
    return { path, stat: readHeapyStat(basename(path), lines) };
  }
  const format = detectHeap(head);
  if (!format) {
    const known = HEAP_FORMATS.map(
      ({ title, extensions }) => `${title} (${extensions.join(', ')})`,
    );
    throw new UserError(`${path} is no heap that Highwater knows`, {
      hint: `it reads: ${[...known, "Heapy's .stat"].join('; ')}`,
    });
  }
  const input: HeapInput = packed
    ? { name: plain.name, size: null, modified: plain.modified, stream: () => unpackedPieces(path) }
    : plain;
  const progress = new Progress(`reading ${plain.name}`);
  try {
    const graph = await format.read(input, { onProgress: (share) => progress.at(share) });
    return { path, heap: heapOf(graph, options) };
  } finally {
    progress.end();
  }
}
