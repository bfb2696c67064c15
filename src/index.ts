/** What goes wrong for a reason that a user can mend, with a `hint`: thrown by `open` and `record`. */
export { UserError } from './base/errors.ts';
/** Limits on memory inside a test: docs/check.md. */
export { expectMemory, type MemoryFacts, type MemoryLimits } from './sdk/expect-memory.ts';
/** Which objects hold this program's memory: docs/heap.md. */
export { HeapSet, heap, setRelativeHeap } from './sdk/heap/index.ts';
/** What a program imports: `import { iteration, mark, phase } from 'highwater'`. */
export { epoch, iteration, mark, phase } from './sdk/marks.ts';
/** Opens a recording, job, sweep or heap: docs/library.md. */
export {
  type Opened,
  type OpenedHeap,
  type OpenedJob,
  type OpenedRecording,
  type OpenedSweep,
  type OpenOptions,
  open,
} from './sdk/open.ts';
/** What each layer of a TensorFlow.js model holds: docs/layers.md. */
export { MemoryProfiler, type ProfilerOptions } from './sdk/profiler/index.ts';
/** Runs a command and records its memory: docs/library.md. */
export { type RecordedCommand, type RecordOptions, record } from './sdk/record.ts';
/** Sizes of the process, of values and of arrays, and whether they add up: docs/sizes.md. */
export {
  type Asized,
  type AsizeofOptions,
  allsizes,
  allsizesMb,
  asized,
  asizeof,
  type BatchOptions,
  memuseBatch,
  nBytes,
  nConns,
  printSizes,
  simsize,
  simsizeMb,
  topsize,
  topsizeMb,
  wtsizeMb,
} from './sdk/sizes/index.ts';
/** Tagged allocation lines for `highwater analyze`; also with HIGHWATER_TAGS=1. */
export { logAllocations } from './sdk/tags/index.ts';
