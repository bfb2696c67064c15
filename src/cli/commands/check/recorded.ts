import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../../base/errors.ts';
import { RUNS_FOLDER } from '../../../open/recordings.ts';
import { runName } from '../../../record/run/command.ts';
import { automaticName } from '../../../record/run/output-folder.ts';
import { OWN_FAILURE, recorderEnd, startRecorder } from '../../../sweep/recorder.ts';
import { recordWords } from '../../flags/record-words.ts';

/** The part of record's flags that `check` takes. */
export interface CheckRecordFlags {
  readonly out?: string;
  readonly repeat: number;
  readonly force?: true;
}

/** A command that cannot be started, as `env` says it. */
const NOT_STARTED = [126, 127];

/**
 * Records a command as `record` does; what it prints goes to the error stream, as results are data.
 * The folder with what was recorded.
 */
export async function recordCommand(
  argv: readonly string[],
  flags: CheckRecordFlags,
): Promise<string> {
  const many = flags.repeat > 1;
  const out =
    flags.out ??
    join(RUNS_FOLDER, automaticName(runName(argv)).replace(/\.hw$/, many ? '' : '.hw'));
  const words = recordWords({
    quiet: true,
    out,
    repeat: flags.repeat,
    force: flags.force ?? false,
  });
  const code = await recorded([...words, '--', ...argv]);
  if (code === OWN_FAILURE || NOT_STARTED.includes(code) || !existsSync(out)) {
    throw new UserError('the command could not be recorded', {
      exitCode: NOT_STARTED.includes(code) ? code : 2,
    });
  }
  process.stderr.write(`highwater: recorded in ${out}\n`);
  return out;
}

function recorded(words: readonly string[]): Promise<number> {
  // The recorder hears Ctrl-C too and ends the workload politely: what it recorded is then checked.
  const wait = () => {};
  process.on('SIGINT', wait);
  const recorder = startRecorder(words, { stdio: ['inherit', 2, 'inherit'] });
  return recorderEnd(recorder).finally(() => process.off('SIGINT', wait));
}
