import type { Command } from 'commander';
import { UserError } from '../../base/errors.ts';
import type { TimeRange } from '../../model/time-range.ts';
import { argument } from './parse.ts';

export interface RangeOptions {
  readonly from?: number;
  readonly to?: number;
}

const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, min: 60, h: 3600 };

/** `90`, `1.5s`, `200ms`, `2m`, `1h30m`: seconds, also before second 0. */
export function parseMoment(text: string): number {
  const words = text.trim();
  if (/^-?\d+(\.\d+)?$/.test(words)) return Number(words);
  const [, minus, parts] = /^(-?)((?:\d+(?:\.\d+)?(?:ms|s|min|m|h))+)$/.exec(words) ?? [];
  if (parts === undefined)
    throw new UserError(`'${text}' is no time`, { hint: 'as 90, 1.5s, 200ms, 2m or 1h30m' });
  const all = [...parts.matchAll(/(\d+(?:\.\d+)?)(ms|s|min|m|h)/g)];
  const seconds = all.reduce((sum, [, number, unit]) => sum + Number(number) * UNITS[unit!]!, 0);
  return minus ? -seconds : seconds;
}

export function addRangeOptions(command: Command): Command {
  return command
    .option(
      '--from <time>',
      'only from this second on, as 90, 1.5s, 2m or 1h30m',
      argument(parseMoment),
    )
    .option('--to <time>', 'only up to this one', argument(parseMoment));
}

/** undefined: all of it. */
export function rangeOf({ from, to }: RangeOptions): TimeRange | undefined {
  if (from === undefined && to === undefined) return undefined;
  const range = { from: from ?? Number.NEGATIVE_INFINITY, to: to ?? Number.POSITIVE_INFINITY };
  if (range.from < range.to) return range;
  throw new UserError('--from must be before --to');
}
