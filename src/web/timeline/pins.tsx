import type { PanelsChart } from '../../views/chart/timeline/panels.ts';

const NAMES = ['A', 'B'];

/** The moments that a reader pinned, over the picture. */
export function PinLines(props: { chart: PanelsChart; pins: readonly number[]; bottom: number }) {
  const { chart, pins, bottom } = props;
  return (
    <g class="pins">
      {pins.map((pin, i) => {
        const at = chart.x(pin);
        if (at < chart.left || at > chart.right) return null;
        return (
          <g key={NAMES[i]}>
            <line class="pin" x1={at} x2={at} y1={0} y2={bottom} />
            <rect class="pin-flag" x={at} y={bottom - 16} width={16} height={16} />
            <text class="pin-name" x={at + 8} y={bottom - 4} text-anchor="middle">
              {NAMES[i]}
            </text>
          </g>
        );
      })}
    </g>
  );
}
