/** What was reserved, and what would have been, for each stretch of equally many events. */
export interface WhatIfCurves {
  /** What the replay is of: `with max_split_size_mb:64 on A10G`. */
  readonly words: string;
  readonly events: number;
  /** The number of the first. */
  readonly firstEvent: number;
  readonly stretch: number;
  readonly recorded: {
    readonly reserved: Float64Array;
    readonly inUse: Float64Array;
    readonly failed: Uint32Array;
  };
  /** Shorter where the program dies. */
  readonly replayed: { readonly reserved: Float64Array; readonly retries: Uint32Array };
  readonly dies: { readonly event: number; readonly words: string } | null;
  readonly limit: { readonly bytes: number; readonly words: string } | null;
}
