import type { LineLook } from '../../../views/chart/palette.ts';

/** A piece of a curve, for its name. */
export function Swatch({ look }: { look: LineLook }) {
  return (
    <svg class="line-swatch" width={18} height={10} aria-hidden="true">
      <line
        x1={0}
        x2={18}
        y1={5}
        y2={5}
        stroke={look.color}
        stroke-width={2.5}
        stroke-dasharray={look.dash?.join(' ')}
      />
    </svg>
  );
}
