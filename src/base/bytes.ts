import { UserError } from './errors.ts';

export const KiB = 1024;
export const MiB = 1024 ** 2;
export const GiB = 1024 ** 3;

const UNITS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['b', 1],
  ['k', KiB],
  ['m', MiB],
  ['g', GiB],
  ['t', 1024 ** 4],
  ['kib', KiB],
  ['mib', MiB],
  ['gib', GiB],
  ['tib', 1024 ** 4],
  ['kb', 1e3],
  ['mb', 1e6],
  ['gb', 1e9],
  ['tb', 1e12],
]);

/** Reads `8GiB`, `61.8 MB`, `500m`, `4096`: KiB, MiB … and bare k, m, g, t are powers of 1024; kB, MB … of 1000. */
export function parseSize(text: string): number {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(text);
  const unit = match ? UNITS.get(match[2]!.toLowerCase()) : undefined;
  if (!match || unit === undefined) {
    throw new UserError(`'${text}' is not a size`, { hint: 'write it as 8GiB, 500MiB or 61.8MB' });
  }
  return Math.round(Number(match[1]) * unit);
}

/** Binary units with three significant digits: `812 KiB`, `61.8 MiB`, `1.42 GiB`. */
export function formatBytes(bytes: number): string {
  const size = Math.abs(bytes);
  if (!Number.isFinite(size)) return 'unknown';
  if (size < KiB) return `${Math.round(bytes)} B`;
  const [unit, name] =
    size < 1023.5 * KiB ? [KiB, 'KiB'] : size < 1023.5 * MiB ? [MiB, 'MiB'] : [GiB, 'GiB'];
  const value = bytes / unit;
  const digits = Math.abs(value) >= 99.95 ? 0 : Math.abs(value) >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)} ${name}`;
}

/** A change, with its sign: `+61.8 MiB`. */
export function formatDelta(bytes: number): string {
  return bytes < 0 ? `−${formatBytes(-bytes)}` : `+${formatBytes(bytes)}`;
}

/** Whole MiB with thousands apart, `2,183 MiB`: figures that are held against each other keep one unit. */
export function formatMiB(bytes: number): string {
  const value = Math.abs(bytes) / MiB;
  const digits = value < 100 && !Number.isInteger(value) ? value.toFixed(1) : value.toFixed(0);
  const grouped = digits.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',');
  return `${bytes < 0 ? '−' : ''}${grouped} MiB`;
}
