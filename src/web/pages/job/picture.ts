import type { HeatMap } from '../../../analyses/job/heat-map.ts';
import type { Columns } from '../../../model/columns.ts';
import type { Range } from '../../hands/range.ts';

export type RankMap = Columns<HeatMap>;

/** Of its card or limit: from here on it is nearly full. */
export const NEARLY_FULL = 0.95;

export const SORTS = { rank: 'rank', peak: 'highest first', node: 'machine' } as const;
export type Sort = keyof typeof SORTS;

/** Row numbers in the order in which they are drawn, from top to bottom. */
export function sortedRows(map: RankMap, sort: Sort): Uint32Array {
  const rows = Uint32Array.from({ length: map.header.rows }, (_, i) => i);
  if (sort === 'rank') return rows;
  const [peak, node] = [map.f64('peak'), map.u32('node')];
  const names = map.header.nodes;
  // Ranks are the second order, as they are the first of what comes.
  if (sort === 'peak') return rows.sort((a, b) => (peak[b]! || 0) - (peak[a]! || 0) || a - b);
  return rows.sort((a, b) => {
    const [one, other] = [names[node[a]!]!, names[node[b]!]!];
    return one === other ? a - b : one.localeCompare(other, 'en', { numeric: true });
  });
}

/** What a share is of: each row's own limit, else the highest of all. */
export function fullBytes(map: RankMap): Float64Array {
  const [limit, peak] = [map.f64('limit'), map.f64('peak')];
  const most = peak.reduce((a, b) => Math.max(a, b || 0), 1);
  return limit.map((bytes) => (bytes > 0 ? bytes : most));
}

/** The largest share of each pixel: of all ranks and all moments in it none is lost. -1: nothing was measured. */
export function pixels(
  map: RankMap,
  order: Uint32Array,
  { width, height, time, rows }: { width: number; height: number; time: Range; rows: Range },
): Float32Array {
  const { bins } = map.header;
  const cells = map.arrays.cells as Float32Array;
  const full = fullBytes(map);
  const shares = new Float32Array(width * height).fill(-1);
  const firstBin = Math.max(0, Math.floor(time[0]));
  const lastBin = Math.min(bins, Math.ceil(time[1]));
  const perBin = width / (time[1] - time[0]);
  const perRow = height / (rows[1] - rows[0]);
  for (let at = Math.floor(rows[0]); at < Math.min(order.length, Math.ceil(rows[1])); at++) {
    const row = order[at]!;
    const top = Math.max(0, Math.floor((at - rows[0]) * perRow));
    const bottom = Math.min(height, Math.max(top + 1, Math.floor((at + 1 - rows[0]) * perRow)));
    for (let bin = firstBin; bin < lastBin; bin++) {
      const share = cells[row * bins + bin]! / full[row]!;
      if (!(share >= 0)) continue;
      const left = Math.max(0, Math.floor((bin - time[0]) * perBin));
      const right = Math.min(width, Math.max(left + 1, Math.floor((bin + 1 - time[0]) * perBin)));
      for (let y = top; y < bottom; y++) {
        for (let x = left; x < right; x++) {
          const pixel = y * width + x;
          if (share > shares[pixel]!) shares[pixel] = share;
        }
      }
    }
  }
  return shares;
}

/** The rank that holds most among those under one pixel, at that moment. */
export function under(
  map: RankMap,
  order: Uint32Array,
  at: { readonly bin: number; readonly rows: Range },
): { row: number; bytes: number; among: number } | null {
  const { bins } = map.header;
  const cells = map.arrays.cells as Float32Array;
  const full = fullBytes(map);
  const bin = Math.min(bins - 1, Math.max(0, Math.floor(at.bin)));
  const first = Math.max(0, Math.floor(at.rows[0]));
  const last = Math.min(order.length, Math.max(first + 1, Math.floor(at.rows[1])));
  let found: { row: number; bytes: number; among: number } | null = null;
  for (let i = first; i < last; i++) {
    const row = order[i]!;
    const bytes = cells[row * bins + bin]!;
    if (found && !(bytes / full[row]! > found.bytes / full[found.row]!)) continue;
    found = { row, bytes, among: last - first };
  }
  return found;
}
