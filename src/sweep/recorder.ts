import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { describeError, UserError } from '../base/errors.ts';

/** What `record` answers to wrong flags and to its own failures, as the command's code passes through. */
export const OWN_FAILURE = 125;

/** Starts `highwater record` with these words in a process of its own: its crash, or its memory, is not ours. A run that is not recorded is of no use here. */
export function startRecorder(
  words: readonly string[],
  options: Pick<SpawnOptions, 'stdio' | 'env'>,
): ChildProcess {
  const ourselves = [...process.execArgv, process.argv[1]!];
  return spawn(process.execPath, [...ourselves, 'record', '--strict', ...words], options);
}

/** The recorder's exit code, once it has ended. */
export function recorderEnd(recorder: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    recorder.once('error', (error) =>
      reject(new UserError(`cannot start the recorder: ${describeError(error)}`)),
    );
    recorder.once('exit', (code) => resolve(code ?? 1));
  });
}
