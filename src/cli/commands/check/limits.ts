import type { Command } from 'commander';
import {
  type Limit,
  NO_LEAK,
  parseGrowth,
  parsePeak,
  parseRegress,
} from '../../../analyses/check/limit.ts';
import { UserError } from '../../../base/errors.ts';
import { argument, several } from '../../flags/parse.ts';
import { type CheckConfig, CONFIG_FILE } from './config.ts';

export interface LimitFlags {
  readonly peak: readonly string[];
  readonly leak: boolean;
  readonly growth: readonly string[];
  readonly baseline: readonly string[];
  readonly maxRegress: readonly string[];
}

/** Each may be given several times; a wrong one is refused before anything is run. */
export function addLimitFlags(command: Command): Command {
  const checked = (parse: (text: string) => unknown) =>
    several((text) => {
      argument(parse)(text);
      return text;
    });
  return command
    .option(
      '--peak <limit>',
      "at most, as 'tree.pss<=8GiB' or 'gpu<=24GiB'",
      checked(parsePeak),
      [],
    )
    .option('--no-leak', 'it must not leak')
    .option('--growth <limit>', "at most, as '<=1MiB/iteration'", checked(parseGrowth), [])
    .option(
      '--baseline <run>',
      'hold it against this: a recording, a folder of them, a saved baseline',
      several(String),
      [],
    )
    .option(
      '--max-regress <share>',
      "more than the baseline at most, as 3% or 'gpu0.tree:3%' (default with --baseline: 3%)",
      checked(parseRegress),
      [],
    );
}

/** Of flags and, where they say nothing of a kind, of the configuration. */
export function limitsOf(
  flags: LimitFlags,
  config: CheckConfig,
): { limits: Limit[]; baseline: readonly string[] } {
  const either = (given: readonly string[], kept: readonly string[]) =>
    given.length > 0 ? given : kept;
  const baseline = either(flags.baseline, config.baseline);
  const regress = either(flags.maxRegress, config.maxRegress);
  if (regress.length > 0 && baseline.length === 0) {
    throw new UserError('--max-regress needs a baseline', { hint: 'give one with --baseline' });
  }
  const limits: Limit[] = [
    ...either(flags.peak, config.peak).map(parsePeak),
    ...(flags.leak === false || config.noLeak ? [NO_LEAK] : []),
    ...either(flags.growth, config.growth).map(parseGrowth),
    ...(baseline.length > 0 && regress.length === 0 ? ['3%'] : regress).map(parseRegress),
  ];
  return { limits, baseline };
}

export function noLimits(): UserError {
  return new UserError('there is no limit to check', {
    hint: `give --peak, --no-leak, --growth or --baseline, or write them into ${CONFIG_FILE}`,
  });
}
