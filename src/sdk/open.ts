import type { Fit } from '../analyses/fit/index.ts';
import type { FitRequest } from '../analyses/fit/question.ts';
import type { Report } from '../analyses/report.ts';
import type { Sweep } from '../analyses/sweep/index.ts';
import type { ImportHints } from '../formats/input.ts';
import type { NamedRecording, Recording } from '../model/recording.ts';
import type { HeapSet } from './heap/index.ts';

/** One run: a recording, a packed one, or a file of another tool. */
export interface OpenedRecording {
  readonly type: 'recording';
  readonly path: string;
  /** Its description (`run`) and its tables. */
  readonly recording: Recording;
  /** What `highwater report --json` prints; made anew by each call. */
  report(): Report;
}

/** A folder with one recording for each rank or node of a distributed job, put together. */
export interface OpenedJob extends Omit<OpenedRecording, 'type'> {
  readonly type: 'job';
}

/** What `highwater sweep` made. */
export interface OpenedSweep {
  readonly type: 'sweep';
  readonly path: string;
  /** What `highwater report FOLDER --json` prints. */
  readonly result: Sweep;
  /** Those of its runs that could be opened, by their file names. */
  readonly recordings: readonly NamedRecording[];
  /** What would fit into so much memory, by the peaks measured. */
  fit(request: FitRequest): Fit;
}

/** The objects of a program at one moment. */
export interface OpenedHeap {
  readonly type: 'heap';
  readonly path: string;
  readonly heap: HeapSet;
}

/** What a path turned out to be; `type` says which. */
export type Opened = OpenedRecording | OpenedJob | OpenedSweep | OpenedHeap;

export interface OpenOptions {
  /** What a file of another tool may not say itself. */
  readonly hints?: ImportHints;
  /** Told how many bytes of a file of another tool were read, and how many it has, where that is known. */
  readonly onProgress?: (done: number, total: number | null) => void;
}

/**
 * Opens a recording (a folder, a packed file, or a file of another tool), a job, a sweep or a heap. What
 * cannot be opened is a UserError that says why.
 */
export async function open(path: string, options: OpenOptions = {}): Promise<Opened> {
  // Loaded when first used: most programs import this package for a mark or two.
  const [{ isSweepFolder }, { isHeapFile }, { locate }] = await Promise.all([
    import('../sweep/manifest-file.ts'),
    import('../open/heaps.ts'),
    import('../open/locate.ts'),
  ]);
  if (isSweepFolder(path)) return openSweepFolder(path);
  if (isHeapFile(path)) return openHeapFile(path);
  const [{ openWithTraces }, { report }] = await Promise.all([
    import('../open/open.ts'),
    import('../analyses/report.ts'),
  ]);
  const location = locate(path);
  const { hints, onProgress } = options;
  const { recording, snapshots, rankTraces } = await openWithTraces(location, hints, onProgress);
  return {
    type: location.kind === 'job' ? 'job' : 'recording',
    path: location.path,
    recording,
    report: () => report(recording, snapshots, rankTraces),
  };
}

async function openSweepFolder(path: string): Promise<OpenedSweep> {
  const [{ readManifest }, { openSweep }, { fitSweep }] = await Promise.all([
    import('../sweep/manifest-file.ts'),
    import('../sweep/result.ts'),
    import('../sweep/fit.ts'),
  ]);
  const opened = openSweep(path, readManifest(path));
  return { type: 'sweep', path, ...opened, fit: (request) => fitSweep(opened, request) };
}

async function openHeapFile(path: string): Promise<OpenedHeap> {
  const [{ openHeap }, { partitionOf }, { HeapSet }] = await Promise.all([
    import('../open/heaps.ts'),
    import('../analyses/heap/index.ts'),
    import('./heap/index.ts'),
  ]);
  // A table of a heap, which has no objects, is not taken for one before.
  const { heap } = await openHeap(path);
  return { type: 'heap', path, heap: new HeapSet(partitionOf(heap!, heap!.objects)) };
}
