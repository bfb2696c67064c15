/** One line of a benchmark's table. */
export interface Row {
  readonly what: string;
  /** What the figure is held against. */
  readonly peer?: string;
  readonly figure: string;
  /** Of Highwater to the peer. */
  readonly ratio?: number;
  readonly limit?: string;
  /** Absent: for information. */
  readonly pass?: boolean;
}

export interface Options {
  /** Shorter runs, to see whether all works; the limits are judged all the same. */
  readonly quick: boolean;
  /** The real thing where the usual run is scaled down. */
  readonly full: boolean;
}

export interface Benchmark {
  readonly name: string;
  readonly title: string;
  run(options: Options): Promise<Row[]>;
}

const HEADER = ['what', 'peer', 'figure', 'ratio', 'limit', ''];

export function formatTable(rows: readonly Row[]): string {
  const lines = [HEADER, ...rows.map(cells)];
  const widths = HEADER.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cells(row: Row): string[] {
  const verdict = row.pass === undefined ? '' : row.pass ? 'PASS' : 'FAIL';
  const ratio = row.ratio === undefined ? '' : row.ratio.toFixed(row.ratio < 1 ? 3 : 2);
  return [row.what, row.peer ?? '', row.figure, ratio, row.limit ?? '', verdict];
}

/** A line whose figure must not exceed a limit. */
export function atMost(what: string, value: number, limit: number, unit: string, digits = 2): Row {
  return {
    what,
    figure: `${value.toFixed(digits)} ${unit}`,
    limit: `≤ ${limit} ${unit}`,
    pass: value <= limit,
  };
}

/** A line whose figure, divided by a peer's, must not exceed a limit. */
export function ratioAtMost(
  what: string,
  peer: string,
  figure: string,
  ratio: number,
  limit: number,
): Row {
  return { what, peer, figure, ratio, limit: `≤ ${limit}×`, pass: ratio <= limit };
}

export const percent = (share: number) => `${(100 * share).toFixed(2)} %`;
