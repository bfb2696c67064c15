import type { Estimate, FigureModel } from '../../analyses/fit/index.ts';
import { formatBytes, GiB, MiB } from '../../base/bytes.ts';

/** A figure in the unit that another one is read in, without its name: `25.9`. */
function inOne(bytes: number, other: number): string {
  const value = bytes / unitOf(other)[0];
  return value.toFixed(value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
}

/** `25.9 GiB (25.5–26.4)`, in the unit of another figure. */
export function span({ bytes, lowBytes, highBytes }: Estimate, other: number): string {
  return `${inOne(bytes, other)} ${unitOf(other)[1]} (${inOne(lowBytes, other)}–${inOne(highBytes, other)})`;
}

/** The same, with its unit where that is another than the other's. */
export const beside = (bytes: number, other: number): string =>
  unitOf(bytes)[1] === unitOf(other)[1] ? inOne(bytes, other) : formatBytes(bytes);

/** A size as people say it: `24 GiB`. */
export const roundSize = (bytes: number): string => formatBytes(bytes).replace(/\.0+(?= )/, '');

const unitOf = (bytes: number): [number, string] => (bytes >= GiB ? [GiB, 'GiB'] : [MiB, 'MiB']);

/** `reserved_peak + 845 MiB`, `requested_peak × 1.01`: a figure that goes with another one. */
export const linkFormula = ({ kind, figure, bytes }: NonNullable<FigureModel['link']>): string =>
  kind === 'plus' ? `${figure} + ${formatBytes(bytes)}` : `${figure} × ${bytes.toFixed(2)}`;

/** `the larger of 1.02 GiB and 648 MiB + 960 KiB × batch × size`. */
export function fitFormula(phases: FigureModel['phases']): string {
  const parts = phases.map(({ constantBytes, terms }) =>
    [
      ...(constantBytes >= 0.5 || terms.length === 0 ? [formatBytes(constantBytes)] : []),
      ...terms.map(({ product, bytes }) => `${formatBytes(bytes)} × ${product}`),
    ].join(' + '),
  );
  if (parts.length === 1) return parts[0]!;
  const last = parts.pop()!;
  return `the ${parts.length === 1 ? 'larger' : 'largest'} of ${parts.join(', ')} and ${last}`;
}
