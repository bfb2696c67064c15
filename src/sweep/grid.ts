import { UserError } from '../base/errors.ts';
import type { Param } from './params.ts';

/** A value for each parameter, in the order of the command line. */
export type Combination = Readonly<Record<string, string>>;

const MOST_RUNS = 10_000;

/** Every combination of the values; the last parameter varies fastest. */
export function combinations(params: readonly Param[], repeat: number): Combination[] {
  const names = params.map((param) => param.name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) {
    throw new UserError(`parameter '${twice}' is given twice`, {
      hint: `give all its values in one: --param ${twice}=a,b`,
    });
  }
  const runs = params.reduce((product, { values }) => product * values.length, repeat);
  if (runs > MOST_RUNS) {
    throw new UserError(`that makes ${runs} runs, more than ${MOST_RUNS}`, {
      hint: 'take fewer values or a smaller --repeat',
    });
  }
  let rows: [string, string][][] = [[]];
  for (const { name, values } of params) {
    rows = rows.flatMap((row) =>
      values.map((value) => [...row, [name, value] as [string, string]]),
    );
  }
  return rows.map((row) => Object.fromEntries(row));
}

/** `kernel=fft,batch=8`: how a combination is called everywhere. */
export function combinationName(combination: Combination): string {
  return Object.entries(combination)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}
