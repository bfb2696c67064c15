import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { describeError, UserError } from '../../base/errors.ts';
import { Inspector } from './connection.ts';
import { checkHeadroom, headroomFor } from './headroom.ts';

export { languageOf, programOf } from './target.ts';

export interface TakeOptions {
  /** Take it although memory may not suffice. */
  readonly force?: boolean;
  /** V8 is about to be asked: from here on the program stands still. */
  onBegin?(): void;
  onProgress?(share: number): void;
}

export interface TakenHeap {
  readonly bytes: number;
  /** What V8 had in use. */
  readonly heapBytes: number;
  /** Such as "v20.20.2". */
  readonly version: string;
  /** V8 stands still while it writes. */
  readonly pauseMs: number;
}

/** Takes a snapshot of a running Node program into a file, as it comes: none of it is kept in memory. */
export async function takeNodeHeap(
  pid: number,
  file: string,
  options: TakeOptions = {},
): Promise<TakenHeap> {
  const heaps = await NodeHeaps.open(pid);
  try {
    return await heaps.take(file, options);
  } finally {
    await heaps.close();
  }
}

/** Several snapshots in one session: V8 keeps its numbers of objects only as long as one lasts. */
export class NodeHeaps {
  readonly pid: number;
  readonly #inspector: Inspector;

  static async open(pid: number): Promise<NodeHeaps> {
    return new NodeHeaps(pid, await Inspector.open(pid));
  }

  private constructor(pid: number, inspector: Inspector) {
    this.pid = pid;
    this.#inspector = inspector;
  }

  async take(file: string, options: TakeOptions = {}): Promise<TakenHeap> {
    const said = await this.#inspector.value(FACTS);
    const { heap = 0, version = '' } = JSON.parse(String(said ?? '{}')) as Partial<Facts>;
    if (!options.force) checkHeadroom(headroomFor(this.pid, heap), heap);
    options.onBegin?.();
    const began = performance.now();
    const bytes = await written(this.#inspector, file, options);
    return { bytes, heapBytes: heap, version, pauseMs: performance.now() - began };
  }

  close(): Promise<void> {
    return this.#inspector.close();
  }
}

const FACTS = 'JSON.stringify({ heap: process.memoryUsage().heapUsed, version: process.version })';
interface Facts {
  heap: number;
  version: string;
}

async function written(
  inspector: Inspector,
  file: string,
  { onProgress }: TakeOptions,
): Promise<number> {
  // Under another name until it is whole: a cut one looks like a heap.
  const part = `${file}.part`;
  const fd = opened(part);
  let bytes = 0;
  let failure: unknown = null;
  inspector.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => {
    if (failure) return;
    try {
      const data = Buffer.from(String(chunk));
      for (let done = 0; done < data.length; ) done += writeSync(fd, data, done);
      bytes += data.length;
    } catch (error) {
      failure = error;
    }
  });
  inspector.on('HeapProfiler.reportHeapSnapshotProgress', ({ done, total }) => {
    if (Number(total) > 0) onProgress?.(Number(done) / Number(total));
  });
  try {
    await inspector.call('HeapProfiler.enable');
    await inspector.call('HeapProfiler.takeHeapSnapshot', {
      reportProgress: onProgress !== undefined,
    });
    if (failure)
      throw new UserError(`cannot write ${part}: ${describeError(failure)}`, { cause: failure });
    renameSync(part, file);
    return bytes;
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}

function opened(path: string): number {
  try {
    return openSync(path, 'w', 0o600);
  } catch (error) {
    throw new UserError(`cannot write ${path}: ${describeError(error)}`, { cause: error });
  }
}
