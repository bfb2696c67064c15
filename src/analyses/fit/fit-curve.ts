import type { Sample } from './design-matrix.ts';
import type { Forecast, Forecasts } from './forecast.ts';
import type { Largest } from './largest-that-fits.ts';
import type { Estimate } from './student-mixture.ts';

/** What a picture shows of a forecast: one parameter across, the others fixed. */
export interface FitCurve {
  readonly parameter: string;
  readonly others: Readonly<Record<string, number>>;
  readonly points: readonly (Estimate & { readonly value: number })[];
  readonly measured: readonly { readonly value: number; readonly bytes: number }[];
  /** Runs that ended for lack of memory, at what they had reached. */
  readonly failed: readonly { readonly value: number; readonly bytes: number }[];
}

const POINTS = 80;
/** A little beyond all that matters: what was measured, what is asked about, what fits. */
const MARGIN = 1.08;

export function fitCurve(
  { coordinates, held, failed }: Forecasts & { readonly held: Forecast },
  { parameter, at, largest }: { parameter: number; at: readonly number[]; largest: Largest },
): FitCurve {
  const { name, values } = coordinates[parameter]!;
  const to = Math.max(values.at(-1)!, at[parameter]!, largest.value ?? 0) * MARGIN;
  const from = Math.min(values[0]!, to / POINTS);
  const across = Array.from({ length: POINTS + 1 }, (_, i) => from + ((to - from) * i) / POINTS);
  const dots = (samples: readonly Sample[]) =>
    samples
      .filter((one) => one.at.every((value, i) => i === parameter || value === at[i]))
      .map((one) => ({ value: one.at[parameter]!, bytes: one.bytes }));
  return {
    parameter: name,
    others: largest.others,
    points: across.map((value) => ({
      value,
      ...held.at(at.map((other, i) => (i === parameter ? value : other))),
    })),
    measured: dots(held.samples),
    failed: dots(failed),
  };
}
