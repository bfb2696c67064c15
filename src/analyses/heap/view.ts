import type { HeapAbout } from '../../model/heap/graph.ts';
import type { Verdict } from '../../model/verdict.ts';
import type { HeapHolders } from './holders.ts';
import type { HeapPaths } from './paths.ts';
import type { HeapSince } from './since.ts';
import type { HeapTable } from './table.ts';
import type { Crumb } from './walk.ts';

/** A heap, or a part of it that the reader has walked into. */
export interface HeapView {
  readonly type: 'heap-view';
  /** Every heap of the job, so that two can be held against each other. */
  readonly heaps: readonly { readonly id: string; readonly name: string }[];
  readonly heap: string;
  /** The one that it is held against; null where it is looked at alone. */
  readonly other: string | null;
  readonly runtime: string;
  readonly about: HeapAbout;
  /** Of the whole heap. */
  readonly count: number;
  readonly size: number;
  readonly crumbs: readonly Crumb[];
  /** One of these, as asked with `show`. */
  readonly table: HeapTable | null;
  readonly paths: HeapPaths | null;
  readonly holders: HeapHolders | null;
  readonly difference: (HeapSince & { readonly verdict: Verdict }) | null;
}
