import { basename, join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import type { FileBytes } from '../../model/disk/file-bytes.ts';
import { HEAP_FILE } from '../../model/disk/files.ts';
import { packedFiles } from '../../model/disk/pack.ts';

/** A heap in a packed recording is named as if that were a folder: `train.hwz/heap/0/python.hwheap`. */
const INSIDE = /^(.+\.hwz)\/(heap\/\d+\/[^/]+)$/i;

/** Those that were packed with a recording, in the order they were taken. */
export function packedHeaps(path: string): string[] {
  const number = (name: string) => Number(name.split('/')[1]);
  return packedFiles(path)
    .list()
    .filter((name) => HEAP_FILE.test(name))
    .sort((a, b) => number(a) - number(b))
    .map((name) => join(path, name));
}

/** The bytes of a heap that is named so; null where a path is a file's own. */
export function packedHeap(path: string): FileBytes | null {
  const [, packed, name] = INSIDE.exec(path) ?? [];
  if (packed === undefined || name === undefined) return null;
  const bytes = packedFiles(packed).read(name);
  if (bytes === null) throw new UserError(`there is no ${name} in ${packed}`);
  return {
    name: basename(path),
    size: bytes.length,
    modified: 0,
    stream: () => [bytes],
    readAt: (offset, length) => bytes.subarray(offset, offset + length),
  };
}
