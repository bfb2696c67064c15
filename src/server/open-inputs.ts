import { existsSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import type { Heap } from '../analyses/heap/index.ts';
import { UserError } from '../base/errors.ts';
import { RecordingBuilder } from '../model/builder.ts';
import type { InputProgress } from '../model/inputs-info.ts';
import type { CrashText } from '../model/out-of-memory.ts';
import { readCrashText } from '../open/crash-text.ts';
import { isKnownFormat } from '../open/foreign-file.ts';
import { heapFiles, isHeapFile, openHeap } from '../open/heaps.ts';
import { type InputLocation, locate } from '../open/locate.ts';
import { openWithTraces, type RecordingWithTraces } from '../open/open.ts';
import { runPaths } from '../open/runs.ts';

/** A heap that lies somewhere, read when it is first looked at. */
export interface HeapSource {
  /** Of its file, or of its place in a recording. */
  readonly name: string;
  /** Reads it the first time; throws UserError for what cannot be read. */
  open(progress: (progress: InputProgress) => void): Promise<Heap>;
}

/** What opening one input gives. */
export interface OpenedInput extends RecordingWithTraces {
  readonly heaps: readonly HeapSource[];
  /** What a log says about memory that ran out, where it is one. */
  readonly crash?: CrashText;
}

/** The runs that arguments name, as paths: a folder may hold several, unless they are the ranks of one job. */
export async function inputPaths(inputs: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of inputs) found.push(...(isJob(path) ? [path] : await runPaths([path])));
  return [...new Set(found)];
}

/** Everything that a page may be asked to show of one input; heaps are read when they are looked at. */
export async function openViewInput(
  path: string,
  progress: (progress: InputProgress) => void,
): Promise<OpenedInput> {
  const location = locate(path);
  if (isHeapFile(path)) {
    return { ...notSampled(path), heaps: [heapSource(path, basename(path))] };
  }
  if (location.kind === 'file' && !(await isKnownFormat(path))) {
    const crash = readCrashText(path);
    if (crash.events.length > 0) return { ...notSampled(path), heaps: [], crash };
  }
  const read = (done: number, total: number | null) => progress({ what: 'reading', done, total });
  return { ...(await openWithTraces(location, {}, read)), heaps: heapsBeside(location) };
}

/** Of a heap alone, or a log, nothing was sampled: a recording without tables. */
function notSampled(path: string): RecordingWithTraces {
  const recording = new RecordingBuilder({ id: path, name: basename(path) }).build();
  return { recording, snapshots: [], rankTraces: [] };
}

function isJob(path: string): boolean {
  try {
    return locate(path).kind === 'job';
  } catch {
    return false; // opening it will say what is wrong
  }
}

/** Those that were taken while a recording was made. */
export function heapsBeside({ path, kind }: InputLocation): HeapSource[] {
  if (kind !== 'packed' && !(kind === 'folder' && existsSync(join(path, 'heap')))) return [];
  try {
    return heapFiles([path]).map((file) => heapSource(file, relative(join(path, 'heap'), file)));
  } catch (error) {
    if (error instanceof UserError) return []; // a recording without heaps
    throw error;
  }
}

function heapSource(path: string, name: string): HeapSource {
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
