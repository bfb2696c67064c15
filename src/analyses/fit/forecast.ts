import { type Backtest, testedModel } from './backtest.ts';
import { type Coordinate, coordinatesOf, toCoordinates } from './coordinates.ts';
import type { Sample } from './design-matrix.ts';
import { monomialShares, type PeakModel, predict } from './peak-model.ts';
import type { FitMeasures, FitRun } from './question.ts';
import type { Estimate } from './student-mixture.ts';

/** One figure of a group of runs, and its prediction for other sizes. */
export interface Forecast {
  readonly figure: string;
  readonly model: PeakModel;
  readonly samples: readonly Sample[];
  /** The largest sizes predicted by the smaller ones, the nearest test first; in parameters, not coordinates. */
  readonly tests: readonly (readonly Backtest[])[];
  readonly at: (at: readonly number[]) => Estimate;
}

/** Forecasts of runs that differ in numbers only. */
export interface Forecasts {
  readonly coordinates: readonly Coordinate[];
  /** Different combinations that were measured. */
  readonly points: number;
  readonly held: Forecast | null;
  /** Runs that ended for lack of memory, and how much they had reached of what is held. */
  readonly failed: readonly Sample[];
  readonly live: Forecast | null;
  readonly others: readonly Forecast[];
}

export function forecasts(
  runs: readonly FitRun[],
  names: readonly string[],
  measures: FitMeasures,
): Forecasts {
  const samplesOf = (figure: string, failed: boolean): Sample[] =>
    runs
      .filter((run) => run.outOfMemory === failed && run.figures[figure] !== undefined)
      .map(({ params, figures }) => ({
        at: names.map((name) => Number(params[name])),
        bytes: figures[figure]!,
      }));
  const held = samplesOf(measures.held, false);
  const coordinates = coordinatesOf(names, held);
  const forecast = (figure: string, cleaner: Forecast | null): Forecast | null => {
    const samples = samplesOf(figure, false);
    const inCoordinates = (all: readonly Sample[]) =>
      all.map(({ at, bytes }) => ({ at: toCoordinates(coordinates, at), bytes }));
    const bounds = inCoordinates(samplesOf(figure, true));
    const shares = cleaner ? monomialShares(cleaner.model) : undefined;
    const tested =
      samples.length === 0 ? null : testedModel(inCoordinates(samples), { bounds, shares });
    if (!tested) return null;
    const { model, tests } = tested;
    // Back from the model's coordinates: the conversion is its own inverse.
    const inParameters = tests.map((level) =>
      level.map((test) => ({ ...test, at: toCoordinates(coordinates, test.at) })),
    );
    return {
      figure,
      model,
      samples,
      tests: inParameters,
      at: (at) => predict(model, toCoordinates(coordinates, at)),
    };
  };
  const live = measures.live === null ? null : forecast(measures.live, null);
  return {
    coordinates,
    points: new Set(held.map(({ at }) => String(at))).size,
    failed: samplesOf(measures.held, true),
    live,
    held: withCache(forecast(measures.held, live), live),
    others: measures.others.flatMap((figure) => forecast(figure, live) ?? []),
  };
}

/** Whatever share a cache added at any size it may add at another: the interval allows for that. */
function withCache(held: Forecast | null, live: Forecast | null): Forecast | null {
  if (!held || !live) return held;
  const bytesOf = new Map(live.samples.map(({ at, bytes }) => [String(at), bytes]));
  const ratios = held.samples.flatMap(({ at, bytes }) => {
    const used = bytesOf.get(String(at));
    return used ? [bytes / used] : [];
  });
  const most = Math.max(1, ...ratios);
  return {
    ...held,
    at: (at) => {
      const own = held.at(at);
      return { ...own, highBytes: Math.max(own.highBytes, live.at(at).bytes * most) };
    },
  };
}
