import { type AxisTick, byteAxis, multiples } from '../../../views/chart/axes.ts';
import type { View } from './picture/across.ts';

/** Round places along the lower edge, down to a microsecond or a single event. */
export function acrossTicks({ axis, x0, x1 }: View, most: number, firstEvent: number): Ticks {
  if (axis === 'events') {
    const step = Math.max(1, roundStep((x1 - x0) / most));
    const ticks = multiples(x0 + firstEvent, x1 + firstEvent, step).map((event) => ({
      value: event - firstEvent,
      label: event.toLocaleString('en'),
    }));
    return { ticks, title: 'event' };
  }
  const step = roundStep((x1 - x0) / most);
  const [unit, size] = x1 - x0 >= 2e6 ? ['s', 1e6] : x1 - x0 >= 2e3 ? ['ms', 1e3] : ['µs', 1];
  const digits = Math.max(0, Math.min(3, -Math.floor(Math.log10(step / size))));
  const ticks = multiples(x0, x1, step).map((value) => ({
    value,
    label: (value / size).toLocaleString('en', {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }),
  }));
  return { ticks, title: `${unit} since the trace began` };
}

export interface Ticks {
  readonly ticks: readonly AxisTick[];
  readonly title: string;
}

export function upTicks({ order, y0, y1 }: View, most: number): Ticks {
  const { major, unit } = byteAxis({ low: y0, high: y1 }, most);
  const what = order === 'address' ? 'address, gaps left out' : 'requested and live';
  return { ticks: major, title: `${unit}, ${what}` };
}

/** The next of 1, 2, 5, 10 … */
function roundStep(wanted: number): number {
  const decade = 10 ** Math.floor(Math.log10(Math.max(wanted, 1e-9)));
  return [1, 2, 5, 10].map((n) => n * decade).find((step) => step >= wanted * (1 - 1e-9))!;
}
