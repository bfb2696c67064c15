import { formatDelta, KiB } from '../base/bytes.ts';

interface Rate {
  readonly over: 'iterations' | 'time';
  readonly slope: { readonly bytes: number };
  readonly perEpochBytes: number | null;
}

/** Per iteration where the log tells them, per epoch where it tells only those, else over time. */
export function rateWords(rate: Rate): string {
  if (rate.over === 'iterations') return `${formatDelta(rate.slope.bytes)}/iteration`;
  if (rate.perEpochBytes !== null) return `${formatDelta(rate.perEpochBytes)}/epoch`;
  const { factor, unit } = timeUnit(rate);
  return `${formatDelta(rate.slope.bytes * factor)}/${unit}`;
}

/** The shortest unit in which the figure is worth its name. */
export function timeUnit({ slope }: Pick<Rate, 'slope'>): { factor: number; unit: string } {
  const units = [
    { factor: 1, unit: 's' },
    { factor: 60, unit: 'min' },
    { factor: 3600, unit: 'h' },
  ];
  const worth = ({ factor }: { factor: number }) => Math.abs(slope.bytes) * factor >= 100 * KiB;
  return units.find(worth) ?? units[2]!;
}

/** `+18.0 KiB/iteration (95 %)`. */
export function boundWords(bound: {
  readonly bytesPerIteration?: number;
  readonly bytesPerHour?: number;
  readonly confidence?: number;
}): string {
  const { bytesPerIteration, bytesPerHour = 0, confidence } = bound;
  const sure = confidence === undefined ? '' : ` (${Math.round(100 * confidence)} %)`;
  if (bytesPerIteration !== undefined) return `${formatDelta(bytesPerIteration)}/iteration${sure}`;
  const { factor, unit } = timeUnit({ slope: { bytes: bytesPerHour / 3600 } });
  return `${formatDelta((bytesPerHour / 3600) * factor)}/${unit}${sure}`;
}
