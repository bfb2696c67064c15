/** Several runs over one axis, as a page gets them: curve i is the columns `<i>.x` and `<i>.bytes`. */
export interface OverlaidRuns {
  readonly type: 'overlaid-runs';
  /** What x counts. */
  readonly across: 'seconds' | 'iterations';
  /** The moment that x = 0 is; `iteration` where x is the number of one. */
  readonly zero: string;
  readonly lines: readonly OverlaidLine[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
  /** All series that any of the runs has. */
  readonly seriesNames: readonly string[];
}

interface OverlaidLine {
  readonly name: string;
  readonly series: string;
  /** Taken off all bytes. */
  readonly subtracted: number;
  readonly peak: { readonly bytes: number; readonly x: number };
  /** From its first to its last sample, whichever part was asked for. */
  readonly span: readonly [number, number];
}
