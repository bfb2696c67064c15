import { possibleFigures } from './figure-chain.ts';
import { type FitGroup, fitGroup } from './fit-group.ts';
import type { FitMeasures, FitQuestion, FitRun, InUse } from './question.ts';

export type { FitAnswer, FitVerdict } from './answer.ts';
export type { FigureModel } from './figure-model.ts';
export type { FitCurve } from './fit-curve.ts';
export type { FitGroup } from './fit-group.ts';
export type { Largest } from './largest-that-fits.ts';
export type { Estimate } from './student-mixture.ts';
export type { FitMeasures, FitQuestion, FitRun, InUse };

/** What would fit into so much memory, by the peaks of runs that were measured. */
export interface Fit {
  readonly type: 'fit';
  readonly schemaVersion: 1;
  readonly limitBytes: number;
  readonly inUse: InUse;
  /** The limit without what is in use beside. */
  readonly usableBytes: number;
  /** The figure that is held against it. */
  readonly held: string;
  readonly live: string | null;
  /** One for each combination of parameters that are no numbers. */
  readonly groups: readonly FitGroup[];
  readonly notes: readonly string[];
}

export function whatFits(
  given: readonly FitRun[],
  measures: FitMeasures,
  question: FitQuestion,
): Fit {
  const { runs, notes } = possibleFigures(given, measures);
  const names = Object.keys(runs[0]?.params ?? {});
  const numbers = numericNames(runs);
  const words = names.filter((name) => !numbers.includes(name));
  const groups = new Map<string, FitRun[]>();
  for (const run of runs) {
    const name = words.map((word) => `${word}=${run.params[word]}`).join(',');
    groups.set(name, [...(groups.get(name) ?? []), run]);
  }
  const { limitBytes, inUse, at } = question;
  const asked = [...groups].filter(([, [run]]) =>
    words.every((word) => at?.[word] === undefined || at[word] === run!.params[word]),
  );
  return {
    type: 'fit',
    schemaVersion: 1,
    limitBytes,
    inUse,
    usableBytes: Math.max(0, limitBytes - inUse.bytes),
    held: measures.held,
    live: measures.live,
    groups: asked.map(([name, members]) => {
      const params = Object.fromEntries(words.map((word) => [word, members[0]!.params[word]!]));
      return fitGroup({ name, params }, members, numbers, measures, question);
    }),
    notes: [...notes, ...notesOn(runs, measures)],
  };
}

/** Parameters of which every value is a number. */
export function numericNames(runs: readonly Pick<FitRun, 'params'>[]): string[] {
  const names = Object.keys(runs[0]?.params ?? {});
  return names.filter((name) => runs.every(({ params }) => isNumber(params[name])));
}

export const isNumber = (text: string | undefined): boolean =>
  text !== undefined && text.trim() !== '' && Number.isFinite(Number(text));

function notesOn(runs: readonly FitRun[], { held }: FitMeasures): string[] {
  const failed = runs.filter((run) => run.outOfMemory).length;
  const bare = runs.filter((run) => run.figures[held] === undefined).length;
  return [
    ...(failed > 0
      ? [
          `${failed === 1 ? 'one run' : `${failed} runs`} ended for lack of memory: the peak reached is a lower bound`,
        ]
      : []),
    ...(bare > 0
      ? [`${bare === 1 ? 'one run' : `${bare} runs`} without ${held} took no part`]
      : []),
  ];
}
