import { answerAt, type FitAnswer, type FitContext, stopAt } from './answer.ts';
import type { Coordinate } from './coordinates.ts';
import { whyNoFit } from './extrapolation.ts';
import { chainOf } from './figure-chain.ts';
import { type FigureModel, figureModel } from './figure-model.ts';
import { type FitCurve, fitCurve } from './fit-curve.ts';
import { type Forecast, forecasts } from './forecast.ts';
import { type Largest, largestThatFits } from './largest-that-fits.ts';
import type { FitMeasures, FitQuestion, FitRun } from './question.ts';

/** Runs that differ in numbers only. */
export interface FitGroup {
  /** The other parameters, which they have in common: `model=vgg16`; '' where all runs are one group. */
  readonly name: string;
  readonly params: Readonly<Record<string, string>>;
  readonly parameters: readonly Coordinate[];
  readonly answer: FitAnswer | null;
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
  measures: FitMeasures,
  question: FitQuestion,
): FitGroup {
  const told = forecasts(runs, names, measures);
  const { coordinates, held, live, others } = told;
  const parameters = coordinates;
  const none = whyNoFit(coordinates, told.points);
  if (none || !held) {
    const why = none ?? 'no curve goes through the measured sizes';
    return { ...head, parameters, answer: null, largest: [], models: [], curves: [], unfit: why };
  }
  const usable = Math.max(0, question.limitBytes - question.inUse.bytes);
  const context: FitContext = { usable, forecasts: { ...told, held } };
  const { at: asked } = question;
  const at = coordinates.map(({ name, values }) => Number(asked?.[name] ?? values.at(-1)!));
  const answer = asked && { ...answerAt(context, at), ...namedParams(coordinates, at, asked) };
  const varied = coordinates.flatMap(({ values }, i) => (values.length > 1 ? [i] : []));
  const first = varied[0]!;
  const searched = asked
    ? varied.map((parameter) => ({ parameter, at }))
    : otherCombinations(coordinates, first).map((point) => ({ parameter: first, at: point }));
  const rows = searched.map((row) => ({
    ...row,
    largest: largestThatFits(coordinates, row.parameter, row.at, (there) => stopAt(context, there)),
  }));
  const chain = chainOf(measures);
  const isLink = ({ figure }: Forecast) => chain.includes(figure);
  const all = [...(live ? [live] : []), held, ...others];
  // From the innermost to the outermost, so that figures rise down the table.
  const known = [
    ...all.filter(isLink).sort((a, b) => chain.indexOf(a.figure) - chain.indexOf(b.figure)),
    ...all.filter((one) => !isLink(one)),
  ];
  return {
    ...head,
    parameters,
    answer,
    largest: rows.map(({ largest }) => largest),
    models: known.map((one) => figureModel(one, coordinates, answer?.needed ? at : null)),
    curves: rows
      .filter(({ parameter }) => parameter === first)
      .slice(-MOST_CURVES)
      .map((row) => fitCurve(context.forecasts, row)),
    unfit: null,
  };
}

/** Every measured value of the other parameters, the largest last. */
function otherCombinations(coordinates: readonly Coordinate[], first: number): number[][] {
  let found: number[][] = [[]];
  for (const [i, { values }] of coordinates.entries()) {
    const own = i === first ? [values.at(-1)!] : values;
    found = found.flatMap((point) => own.map((value) => [...point, value]));
  }
  return found.slice(-MOST_ROWS);
}

function namedParams(
  coordinates: readonly Coordinate[],
  at: readonly number[],
  asked: Readonly<Record<string, string>>,
): Pick<FitAnswer, 'at' | 'assumed' | 'beyond'> {
  return {
    at: Object.fromEntries(coordinates.map(({ name }, i) => [name, at[i]!])),
    assumed: coordinates.flatMap(({ name, values }) =>
      asked[name] === undefined && values.length > 1 ? [name] : [],
    ),
    beyond: coordinates.flatMap(({ name, values, falls }, i) =>
      (falls ? at[i]! < values[0]! : at[i]! > values.at(-1)!) ? [name] : [],
    ),
  };
}
