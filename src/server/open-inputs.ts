import { existsSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import type { Heap } from '../analyses/heap/index.ts';
import { type HeapSource, notSampled, type OpenedInput } from '../answers/opened.ts';
import { UserError } from '../base/errors.ts';
import { tellsPlan } from '../model/engine-plan.ts';
import type { InputProgress } from '../model/inputs-info.ts';
import { readCrashText } from '../open/crash-text.ts';
import { isKnownFormat } from '../open/foreign-file.ts';
import { heapFiles, isHeapFile, openHeap } from '../open/heaps.ts';
import { type InputLocation, locate } from '../open/locate.ts';
import { openWithTraces } from '../open/open.ts';
import { runPaths } from '../open/runs.ts';
import { isLargeJob, jobSource } from './open-job.ts';

/** The runs that arguments name, as paths: a folder may hold several, unless they are the ranks of one job. */
export async function inputPaths(inputs: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of inputs) {
    const whole = isLargeJob(path) || isJob(path);
    found.push(...(whole ? [path] : await runPaths([path])));
  }
  return [...new Set(found)];
}

/** Everything that a page may be asked to show of one input; heaps are read when they are looked at. */
export async function openViewInput(
  path: string,
  progress: (progress: InputProgress) => void,
): Promise<OpenedInput> {
  if (isLargeJob(path))
    return { ...notSampled(path, basename(resolve(path))), heaps: [], job: jobSource(path) };
  const location = locate(path);
  if (isHeapFile(path)) {
    return { ...notSampled(path, basename(path)), heaps: [heapSource(path, basename(path))] };
  }
  if (location.kind === 'file' && !(await isKnownFormat(path))) {
    const crash = readCrashText(path);
    if (crash.events.length > 0 || tellsPlan(crash.engines))
      return { ...notSampled(path, basename(path)), heaps: [], crash };
  }
  const read = (done: number, total: number | null) => progress({ what: 'reading', done, total });
  return { ...(await openWithTraces(location, {}, read)), heaps: heapsBeside(location) };
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
