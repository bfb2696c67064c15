import type { HeapAbout } from '../../model/heap/graph.ts';

/** Where the bytes of a process are, so that they add up to what the system says of it. */
export interface HeapAccount {
  /** What all objects hold on the host. */
  readonly objects: number;
  /** What they hold on devices, which is no part of the resident size. */
  readonly onDevices: number;
  readonly beyond: Readonly<Record<string, number>>;
  readonly resident: number;
}

/** null where the process's size is not known. */
export function heapAccount({ rss, beyond = {} }: HeapAbout, heapSize: number): HeapAccount | null {
  if (rss === undefined) return null;
  const others = Object.values(beyond).reduce((sum, bytes) => sum + bytes, 0);
  // Where nothing is known beyond the objects, the difference is no figure of theirs.
  const objects = Object.keys(beyond).length === 0 ? heapSize : Math.min(heapSize, rss - others);
  return { objects, onDevices: heapSize - objects, beyond, resident: rss };
}
