import { type Backtest, testedModel } from './backtest.ts';
import { type Coordinate, coordinatesOf, toCoordinates } from './coordinates.ts';
import type { Sample } from './design-matrix.ts';
import { chainOf, inOrder } from './figure-chain.ts';
import { followLink, type Link, linkBetween } from './link.ts';
import { monomialShares, type PeakModel, predict } from './peak-model.ts';
import type { FitMeasures, FitRun } from './question.ts';
import type { Estimate } from './student-mixture.ts';
import { withinRuns } from './within-runs.ts';

/** One figure of a group of runs, and its prediction for other sizes. */
export interface Forecast {
  readonly figure: string;
  readonly model: PeakModel;
  readonly samples: readonly Sample[];
  /** The largest sizes predicted by the smaller ones, the nearest test first; in parameters, not coordinates. */
  readonly tests: readonly (readonly Backtest[])[];
  /** Where it goes with another figure, whose model it has then. */
  readonly link: Link | null;
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

/** What an allocator keeps beside what is in use differs by more than what is in use. */
const CACHE_SCATTER = 0.03;

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
  const heldSamples = samplesOf(measures.held, false);
  const coordinates = coordinatesOf(names, heldSamples);
  const chain = chainOf(measures);
  const alone = (figure: string, cleaner: Forecast | null): Forecast | null => {
    const [samples, failed] = [samplesOf(figure, false), samplesOf(figure, true)];
    const inCoordinates = (all: readonly Sample[]) =>
      all.map(({ at, bytes }) => ({ at: toCoordinates(coordinates, at), bytes }));
    const shares = cleaner ? monomialShares(cleaner.model) : undefined;
    const isCached = measures.cached && chain.indexOf(figure) >= chain.indexOf(measures.held);
    const priorScatter = isCached ? CACHE_SCATTER : undefined;
    const known = { bounds: inCoordinates(failed), shares, priorScatter };
    const tested = samples.length === 0 ? null : testedModel(inCoordinates(samples), known);
    if (!tested) return null;
    const { model, tests } = tested;
    // Back from the model's coordinates: the conversion is its own inverse.
    const inParameters = tests.map((level) =>
      level.map((test) => ({ ...test, at: toCoordinates(coordinates, test.at) })),
    );
    const within = withinRuns(coordinates, samples, failed, priorScatter);
    const curve = (at: readonly number[], isInside: boolean) =>
      predict(model, toCoordinates(coordinates, at), { isInside });
    return { figure, model, samples, tests: inParameters, link: null, at: within(curve) };
  };
  const live = measures.live === null ? null : alone(measures.live, null);
  const held = alone(measures.held, live);
  const linked = (figure: string): Forecast | null => {
    const place = chain.indexOf(figure);
    const base = place > chain.indexOf(measures.held) ? held : place >= 0 ? live : null;
    const link = base && linkBetween(runs, base.figure, figure);
    if (!link) return alone(figure, live);
    const samples = samplesOf(figure, false);
    const tests = base.tests.map((level) => level.map((test) => followTest(link, test, samples)));
    const within = withinRuns(coordinates, samples, samplesOf(figure, true));
    const at = within((point) => followLink(link, base.at(point)));
    return { ...base, figure, samples, tests, link, at };
  };
  const others = measures.others.flatMap((figure) => linked(figure) ?? []);
  const ordered = inChain([...(live ? [live] : []), ...(held ? [held] : []), ...others], measures);
  const found = (figure: string | null) => ordered.find((one) => one.figure === figure) ?? null;
  return {
    coordinates,
    points: new Set(heldSamples.map(({ at }) => String(at))).size,
    failed: samplesOf(measures.held, true),
    live: found(measures.live),
    held: found(measures.held),
    others: ordered.filter(({ figure }) => measures.others.includes(figure)),
  };
}

/** A test of the other figure, as one of this. */
function followTest(link: Link, test: Backtest, samples: readonly Sample[]): Backtest {
  const there = samples.find(({ at }) => at.every((value, i) => value === test.at[i]));
  const { at, measuredBytes, ...told } = test;
  return { at, ...followLink(link, told), measuredBytes: there?.bytes ?? measuredBytes };
}

/** The same forecasts, each no less than those that it contains. */
function inChain(all: readonly Forecast[], measures: FitMeasures): Forecast[] {
  const links = chainOf(measures).flatMap(
    (figure) => all.find((one) => one.figure === figure) ?? [],
  );
  return all.map((one) => {
    const i = links.indexOf(one);
    if (i >= 0) return { ...one, at: (at) => inOrder(links.map((link) => link.at(at)))[i]! };
    const held = links.find(({ figure }) => figure === measures.held);
    if (!held || !measures.parts?.includes(one.figure)) return one;
    return { ...one, at: (at) => inOrder([one.at(at), held.at(at)])[0]! };
  });
}
