import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Heap, type HeapOptions, heapOf } from '../analyses/heap/index.ts';
import { errnoCode, UserError } from '../base/errors.ts';
import { isGzip } from '../base/gzip.ts';
import { HEAD_BYTES } from '../formats/format.ts';
import type { HeapInput } from '../formats/heap-format.ts';
import { detectHeap, HEAP_FORMATS } from '../formats/heaps.ts';
import { isHeapyStat, readHeapyStat } from '../formats/heapy-stat.ts';
import { makeInput } from '../formats/input.ts';
import { type FileBytes, fileBytes } from '../model/disk/file-bytes.ts';
import { asUserError } from '../model/disk/files.ts';
import { packedFiles } from '../model/disk/pack.ts';
import { HEAP_FILE } from '../model/disk/recording-files.ts';
import type { HeapStat } from '../model/heap/stat.ts';
import { fileInMemory } from './foreign-bytes.ts';
import { unpackedHead, unpackedPieces } from './gzip.ts';
import { headOf, statOf } from './named-file.ts';
import { isPacked, isRecordingFolder } from './recordings.ts';

/** A heap in a packed recording is named as if that were a folder: `train.hwz/heap/0/python.hwheap`. */
const INSIDE = /^(.+\.hwz)\/(heap\/\d+\/[^/]+)$/i;

/** What a file turned out to hold. */
export type OpenedHeapFile =
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

/** The objects of a heap, or the rows of a table of one; `onProgress` is told which part of it is read. */
export async function openHeap(
  path: string,
  options: HeapOptions = {},
  onProgress: (share: number) => void = () => {},
): Promise<OpenedHeapFile> {
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
  const graph = await format.read({ ...input, crc32 }, { onProgress });
  return { path, heap: heapOf(graph, options) };
}

/** Whether a path names a heap by itself, in a file of its own or in a packed recording. */
export function isHeapFile(path: string): boolean {
  if (INSIDE.test(path)) return true;
  if (!statOf(path).isFile()) return false;
  const start = headOf(path);
  return detectHeap(isGzip(start) ? unpackedHead(path, HEAD_BYTES) : start) !== null;
}

/** Those that were packed with a recording, in the order they were taken. */
function packedHeaps(path: string): string[] {
  const number = (name: string) => Number(name.split('/')[1]);
  return packedFiles(path)
    .list()
    .filter((name) => HEAP_FILE.test(name))
    .sort((a, b) => number(a) - number(b))
    .map((name) => join(path, name));
}

/** The bytes of a heap that is named so; null where a path is a file's own. */
function packedHeap(path: string): FileBytes | null {
  const [, packed, name] = INSIDE.exec(path) ?? [];
  if (packed === undefined || name === undefined) return null;
  const bytes = packedFiles(packed).read(name);
  if (bytes === null) throw new UserError(`there is no ${name} in ${packed}`);
  return fileInMemory(basename(path), bytes);
}
