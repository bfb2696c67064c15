import type { Command } from 'commander';
import type { ImportHints } from '../../formats/input.ts';
import { parseTimeZone, type TimeZone } from '../../formats/log-lines/index.ts';
import { argument, numberBetween } from './parse.ts';

/** Flags for what a log may not say itself; for verbs that take foreign files beside recordings. */
export interface HintOptions {
  readonly interval?: number;
  readonly gpus?: number;
  readonly timeZone?: TimeZone;
}

export function addHintOptions(command: Command): Command {
  return command
    .option(
      '--interval <seconds>',
      'time between samples, where a file has no times (default: 1; nvidia-smi: 0.01)',
      numberBetween(1e-4, 1e6, 'seconds'),
    )
    .option('--gpus <n>', 'how many GPUs write in turn, where a log does not tell', gpuCount)
    .option(
      '--time-zone <zone>',
      'where the clock of a log hung: -06:00, UTC, America/Denver (default: here)',
      argument(parseTimeZone),
    );
}

const gpuCount = (text: string) => Math.floor(numberBetween(1, 1024, 'a number')(text));

export const hintsOf = ({ interval, gpus, timeZone }: HintOptions): ImportHints => ({
  interval,
  gpus,
  timeZone,
});
