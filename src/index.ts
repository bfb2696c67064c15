/** What a program imports: `import { iteration, mark, phase } from 'highwater'`. */
export { epoch, iteration, mark, phase } from './sdk/marks.ts';
/** What each layer of a TensorFlow.js model holds: docs/layers.md. */
export { MemoryProfiler, type ProfilerOptions } from './sdk/profiler.ts';
/** Tagged allocation lines for `highwater analyze`; also with HIGHWATER_TAGS=1. */
export { logAllocations } from './sdk/tags.ts';
