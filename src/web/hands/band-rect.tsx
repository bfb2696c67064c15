import type { DrawnStretch } from './use-hands.ts';

/** A stretch while it is being selected, over a picture. */
export function BandRect(props: { band: DrawnStretch; y: number; height: number }) {
  const { band, y, height } = props;
  const [left, right] = [Math.min(band.from, band.to), Math.max(band.from, band.to)];
  return <rect class="drag" x={left} width={right - left} y={y} height={height} />;
}
