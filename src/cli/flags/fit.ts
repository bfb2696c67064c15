import type { Command } from 'commander';
import type { FitRequest } from '../../analyses/fit/question.ts';
import { parseParams } from '../../analyses/fit/question.ts';
import { parseSize } from '../../base/bytes.ts';
import { UserError } from '../../base/errors.ts';
import { argument } from './parse.ts';

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
      argument(parseParams),
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

/** What is asked, in the engine's words; null where nobody asked. */
export function fitRequest({ fit, at, inUse }: FitFlags): FitRequest | null {
  return fit === undefined ? null : { limitBytes: fit, at, inUseBytes: inUse };
}
