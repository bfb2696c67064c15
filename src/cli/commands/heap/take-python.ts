import { UserError } from '../../../base/errors.ts';
import { answersTo, askAgent } from '../../../sources/agent/ask.ts';
import { takeRemotely } from './remote-python.ts';

const PATIENCE_MS = 600_000;

interface Answer {
  readonly file?: unknown;
  readonly objects?: number;
  readonly pauseMs?: number;
}

/** The agent in a Python program under `record` writes its heap into a file, or Python 3.14 does without one. */
export async function takePythonHeap(pid: number, file: string): Promise<void> {
  const answer = (
    (await answersTo(pid, 'heap'))
      ? await askAgent(pid, 'heap', { file }, PATIENCE_MS)
      : await takeRemotely(pid, file, PATIENCE_MS)
  ) as Answer | null;
  if (answer?.file === file) {
    const { objects = 0, pauseMs = 0 } = answer;
    const pause = `the program stood still for ${pauseMs.toFixed(0)} ms`;
    process.stderr.write(
      `${objects.toLocaleString('en-US')} objects written to ${file}; ${pause}\n`,
    );
    return;
  }
  throw new UserError(`process ${pid} did not write its heap to ${file}`);
}
