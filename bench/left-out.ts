import { answerAt } from '../src/analyses/fit/answer.ts';
import { whyNoFit } from '../src/analyses/fit/extrapolation.ts';
import { possibleFigures } from '../src/analyses/fit/figure-chain.ts';
import { forecasts } from '../src/analyses/fit/forecast.ts';
import {
  type Estimate,
  type FitMeasures,
  type FitRun,
  numericNames,
} from '../src/analyses/fit/index.ts';
import { median } from '../src/base/stats.ts';
import { readPeakTable } from '../src/open/peak-table.ts';
import { Random } from '../test/support/random.ts';

/** A measured peak that a fit had not seen, and what it said. */
export interface Told {
  readonly sweep: string;
  readonly figure: string;
  readonly truth: number;
  readonly estimate: Estimate;
}

/** Runs of one model. */
export interface Sweep {
  readonly name: string;
  readonly runs: readonly FitRun[];
  readonly measures: FitMeasures;
}

/** Which runs are shown, and which are to be told. */
export type Protocol = (
  runs: readonly FitRun[],
) => readonly { readonly known: readonly FitRun[]; readonly left: readonly FitRun[] }[];

const pointOf = ({ params }: FitRun) => JSON.stringify(params);

/** Each combination by all others. */
export const oneLeftOut: Protocol = (runs) =>
  [...new Set(runs.map(pointOf))].map((point) => ({
    known: runs.filter((run) => pointOf(run) !== point),
    left: runs.filter((run) => pointOf(run) === point),
  }));

/** All that needed more than half of the largest, by those that needed less. */
export const largerLeftOut: Protocol = (runs) => {
  const bytes = ({ figures }: FitRun) => figures.reserved_peak!;
  const half = Math.max(...runs.map(bytes)) / 2;
  return [
    {
      known: runs.filter((run) => bytes(run) <= half),
      left: runs.filter((run) => bytes(run) > half),
    },
  ];
};

/** All by four or five of them, drawn four times. */
export const fewShown: Protocol = (runs) => {
  const points = [...new Set(runs.map(pointOf))];
  return [0, 1, 2, 3].map((draw) => {
    const random = new Random(points.length * 100 + draw);
    const pool = [...points];
    const shown = Array.from({ length: 4 + (draw % 2) }, () => {
      const point = random.pick(pool);
      pool.splice(pool.indexOf(point), 1);
      return point;
    });
    return {
      known: runs.filter((run) => shown.includes(pointOf(run))),
      left: runs.filter((run) => !shown.includes(pointOf(run))),
    };
  });
};

export function sweepsOf(path: string): Sweep[] {
  const { runs, measures } = readPeakTable(path);
  return [...new Set(runs.map(({ params }) => params.model!))].sort().map((name) => ({
    name,
    runs: runs.filter(({ params }) => params.model === name),
    measures,
  }));
}

/** `asked` counts the runs left out; of some the data do not tell. */
export function tell({ name, runs, measures }: Sweep, protocol: Protocol) {
  const told: Told[] = [];
  let asked = 0;
  for (const { known, left } of protocol(runs)) {
    const names = numericNames(known);
    const all = forecasts(possibleFigures(known, measures).runs, names, measures);
    const { held, live, others } = all;
    asked += left.length;
    if (!held || whyNoFit(all.coordinates, all.points)) continue;
    for (const { params, figures } of left) {
      const at = names.map((parameter) => Number(params[parameter]));
      const context = { usable: Number.POSITIVE_INFINITY, forecasts: { ...all, held } };
      if (!answerAt(context, at).needed) continue;
      for (const one of [...(live ? [live] : []), held, ...others]) {
        const truth = figures[one.figure];
        if (truth === undefined) continue;
        told.push({ sweep: name, figure: one.figure, truth, estimate: one.at(at) });
      }
    }
  }
  return { told, asked };
}

export const coverageOf = (told: readonly Told[]): number =>
  told.filter(
    ({ truth, estimate: { lowBytes, highBytes } }) => truth >= lowBytes && truth <= highBytes,
  ).length / told.length;

/** The middle of all widths, as a share of what was measured. */
export const widthOf = (told: readonly Told[]): number =>
  median(
    told.map(({ truth, estimate: { lowBytes, highBytes } }) => (highBytes - lowBytes) / truth),
  );
