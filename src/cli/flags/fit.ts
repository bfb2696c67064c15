import type { Command } from 'commander';
import type { FitRun } from '../../analyses/fit/index.ts';
import { isNumber, numericNames } from '../../analyses/fit/index.ts';
import { parsePlace } from '../../analyses/fit/place.ts';
import { parseSize } from '../../base/bytes.ts';
import { UserError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { argument } from '../command.ts';

/** What the user asked about fitting. */
export interface FitFlags {
  readonly fit?: number;
  readonly at?: Readonly<Record<string, string>>;
  readonly inUse?: number;
}

export function addFitFlags(command: Command): Command {
  return command
    .option(
      '--fit <size>',
      'what would fit into so much memory, by the peaks measured',
      argument(parseSize),
    )
    .option(
      '--at <name=value,…>',
      'with --fit: whether this combination fits',
      argument(parsePlace),
    )
    .option(
      '--in-use <size>',
      'with --fit: what is taken there by others (default: as measured here)',
      argument(parseSize),
    );
}

/** `--at` and `--in-use` mean nothing alone. */
export function checkFitFlags({ fit, at, inUse }: FitFlags): void {
  if (fit !== undefined || (at === undefined && inUse === undefined)) return;
  throw new UserError(`${at === undefined ? '--in-use' : '--at'} needs --fit`, {
    hint: 'say how much memory there is: --fit 24GiB',
  });
}

/** A combination can only be of parameters that the runs have, and of numbers where those are. */
export function checkPlace(at: FitFlags['at'], runs: readonly Pick<FitRun, 'params'>[]): void {
  const names = Object.keys(runs[0]?.params ?? {});
  const numbers = numericNames(runs);
  for (const [name, value] of Object.entries(at ?? {})) {
    if (!names.includes(name)) {
      const near = nearest(name, names);
      throw new UserError(`--at: the runs have no parameter '${name}'`, {
        hint: near ? `did you mean ${near}?` : `they have ${names.join(', ')}`,
      });
    }
    if (numbers.includes(name) && !(isNumber(value) && Number(value) > 0)) {
      throw new UserError(`--at: ${name} is a number above zero, and '${value}' is none`);
    }
    if (!numbers.includes(name) && !runs.some(({ params }) => params[name] === value)) {
      const known = [...new Set(runs.map(({ params }) => params[name]))];
      throw new UserError(`--at: no run had ${name}=${value}`, {
        hint: `there is ${known.join(', ')}`,
      });
    }
  }
}
