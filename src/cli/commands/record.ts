import { isatty } from 'node:tty';
import { record } from '../../record/run/session.ts';
import { OWN_FAILURE } from '../../sweep/recorder.ts';
import { type RecordFlags, recordCommand } from '../flags/record.ts';
import { checkFlags, toOptions } from '../flags/record-options.ts';
import { printSummary } from '../output/recording-summary.ts';
import { runCommand } from '../verb.ts';
import { LiveView } from './record/live-view.ts';

/** Runs a command and records its memory, a process's, or the bare host's. */
export { recordCommand as command };

export function run(argv: readonly string[]): Promise<number> {
  return runCommand(recordCommand(), argv, recordAsked, OWN_FAILURE);
}

async function recordAsked(words: string[], flags: RecordFlags): Promise<number> {
  checkFlags(words, flags);
  const options = toOptions(words, flags);
  if (words.length === 0 && !flags.pid && !flags.duration && !flags.quiet) {
    options.say('highwater: no command is given, so the whole machine is watched until Ctrl-C');
  }
  const terminals = [0, 1, 2].filter(isatty);
  if (flags.repeat > 1) {
    const { recordRepeatedly } = await import('./record/repeats.ts');
    return recordRepeatedly(options, flags.repeat, flags.quiet ?? false);
  }
  const live = flags.live ? new LiveView(flags.livePort, options.say) : null;
  const onFolder = (folder: string) => live?.start(folder);
  const result = await record({ ...options, onFolder }).finally(() => live?.finish());
  if (!flags.quiet) await printSummary(result, process.stderr);
  if (!terminals.every(isatty)) endWithoutTerminal();
  return result.exitCode;
}

/** The window was closed; Node would want to reset the terminal at its exit, and abort. */
function endWithoutTerminal(): void {
  process.kill(process.pid, 'SIGHUP');
}
