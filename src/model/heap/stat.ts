/** A partition without its objects: what stays when the heap is gone (Heapy's `.stat`). */
export interface HeapStat {
  readonly type: 'heap-stat';
  /** Seconds since 1970. */
  readonly made: number;
  /** Over the column of kinds. */
  readonly header: string;
  readonly kindName: string;
  readonly count: number;
  readonly size: number;
  readonly rows: readonly StatRow[];
}

export interface StatRow {
  readonly count: number;
  readonly size: number;
  readonly kind: string;
}
