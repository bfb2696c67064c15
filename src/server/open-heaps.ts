import { existsSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import type { Heap } from '../analyses/heap/index.ts';
import { UserError } from '../base/errors.ts';
import type { InputProgress } from '../model/inputs-info.ts';
import { heapFiles, openHeap } from '../open/heaps.ts';
import type { InputLocation } from '../open/locate.ts';

/** A heap that lies somewhere, read when it is first looked at. */
export interface HeapSource {
  /** Of its file, or of its place in a recording. */
  readonly name: string;
  /** Reads it the first time; throws UserError for what cannot be read. */
  open(progress: (progress: InputProgress) => void): Promise<Heap>;
}

/** A file that is a heap. */
export const heapAlone = (path: string): HeapSource => source(path, basename(path));

/** Those that were taken while a recording was made. */
export function heapsBeside({ path, kind }: InputLocation): HeapSource[] {
  if (kind !== 'packed' && !(kind === 'folder' && existsSync(join(path, 'heap')))) return [];
  try {
    return heapFiles([path]).map((file) => source(file, relative(join(path, 'heap'), file)));
  } catch (error) {
    if (error instanceof UserError) return []; // a recording without heaps
    throw error;
  }
}

function source(path: string, name: string): HeapSource {
  let opened: Promise<Heap> | undefined;
  const read = async () => {
    const { heap } = await openHeap(path);
    if (heap) return heap;
    throw new UserError(`${path} is a table of a heap, without its objects`, {
      hint: `highwater heap ${path} shows it`,
    });
  };
  return {
    name,
    open(progress) {
      if (!opened) progress({ what: `reading ${name}`, done: 0, total: null });
      opened ??= read();
      return opened;
    },
  };
}
