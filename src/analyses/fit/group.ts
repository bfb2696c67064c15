import { type Answer, type Judge, judge, stopAt } from './answer.ts';
import type { Coordinate } from './coordinates.ts';
import { curveOf, type FitCurve } from './curve.ts';
import { type FigureModel, figureModel } from './figure-model.ts';
import { forecasts } from './forecast.ts';
import { type Largest, largestThatFits } from './largest.ts';
import type { FitQuestion, FitRun, Measures } from './question.ts';
import { unfit } from './reach.ts';

/** Runs that differ in numbers only. */
export interface FitGroup {
  /** What they have in common beside: `model=vgg16`; '' where all runs are one group. */
  readonly name: string;
  readonly params: Readonly<Record<string, string>>;
  readonly parameters: readonly Coordinate[];
  readonly answer: Answer | null;
  readonly largest: readonly Largest[];
  readonly models: readonly FigureModel[];
  readonly curves: readonly FitCurve[];
  /** Why nothing could be fitted; null where something was. */
  readonly unfit: string | null;
}

/** Where several parameters make a grid: so many rows of the largest that fits, and so many curves. */
const MOST_ROWS = 8;
const MOST_CURVES = 4;

export function fitGroup(
  head: Pick<FitGroup, 'name' | 'params'>,
  runs: readonly FitRun[],
  names: readonly string[],
  measures: Measures,
  question: FitQuestion,
): FitGroup {
  const all = forecasts(runs, names, measures);
  const { coordinates, held, live, others } = all;
  const parameters = coordinates;
  const none = unfit(coordinates, all.places);
  if (none || !held) {
    const why = none ?? 'no curve goes through the measured sizes';
    return { ...head, parameters, answer: null, largest: [], models: [], curves: [], unfit: why };
  }
  const usable = Math.max(0, question.limitBytes - question.inUse.bytes);
  const court: Judge = { usable, forecasts: { ...all, held } };
  const { at: asked } = question;
  const at = coordinates.map(({ name, values }) => Number(asked?.[name] ?? values.at(-1)!));
  const answer = asked && { ...judge(court, at), ...placeNames(coordinates, at, asked) };
  const varied = coordinates.flatMap(({ values }, i) => (values.length > 1 ? [i] : []));
  const first = varied[0]!;
  const searched = asked
    ? varied.map((parameter) => ({ parameter, at }))
    : placesOver(coordinates, first).map((place) => ({ parameter: first, at: place }));
  const rows = searched.map((row) => ({
    ...row,
    largest: largestThatFits(coordinates, row.parameter, row.at, (there) => stopAt(court, there)),
  }));
  const known = [...(live ? [live] : []), held, ...others];
  return {
    ...head,
    parameters,
    answer,
    largest: rows.map(({ largest }) => largest),
    models: known.map((one) => figureModel(one, coordinates, answer?.needed ? at : null)),
    curves: rows
      .filter(({ parameter }) => parameter === first)
      .slice(-MOST_CURVES)
      .map((row) => curveOf(court.forecasts, row)),
    unfit: null,
  };
}

/** Every measured value of the other parameters, the largest last. */
function placesOver(coordinates: readonly Coordinate[], first: number): number[][] {
  let found: number[][] = [[]];
  for (const [i, { values }] of coordinates.entries()) {
    const own = i === first ? [values.at(-1)!] : values;
    found = found.flatMap((place) => own.map((value) => [...place, value]));
  }
  return found.slice(-MOST_ROWS);
}

function placeNames(
  coordinates: readonly Coordinate[],
  at: readonly number[],
  asked: Readonly<Record<string, string>>,
): Pick<Answer, 'at' | 'assumed'> {
  return {
    at: Object.fromEntries(coordinates.map(({ name }, i) => [name, at[i]!])),
    assumed: coordinates.flatMap(({ name, values }) =>
      asked[name] === undefined && values.length > 1 ? [name] : [],
    ),
  };
}
