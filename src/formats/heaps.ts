import type { HeapFormat } from './heap-format.ts';
import { pythonHeap } from './python-heap/index.ts';
import { v8Heap } from './v8-heap/index.ts';

/** All formats of heaps; strict sniffers before lenient ones. */
export const HEAP_FORMATS: readonly HeapFormat[] = [pythonHeap, v8Heap];

export function detectHeap(head: Uint8Array): HeapFormat | null {
  return HEAP_FORMATS.find((format) => format.sniff(head)) ?? null;
}
