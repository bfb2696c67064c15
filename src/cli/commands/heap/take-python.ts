import { UserError } from '../../../base/errors.ts';
import { askInside } from '../../../record/attach/index.ts';
import { tell } from '../../output/terminal.ts';
import { wayIn } from '../../output/way-in.ts';

const PATIENCE_MS = 600_000;

interface Figures {
  readonly file?: unknown;
  readonly objects?: number;
  readonly pauseMs?: number;
}

/** A Python program writes its heap into a file, asked through its agent or attached to. */
export async function takePythonHeap(pid: number, file: string, attach: boolean): Promise<void> {
  const answer = await askInside(pid, 'heap', { file }, PATIENCE_MS, attach);
  tell(wayIn(pid, answer));
  const figures = answer.value as Figures | null;
  if (figures?.file === file) {
    const { objects = 0, pauseMs = 0 } = figures;
    const pause = `the program stood still for ${pauseMs.toFixed(0)} ms`;
    tell(`${objects.toLocaleString('en-US')} objects written to ${file}; ${pause}\n`);
    return;
  }
  throw new UserError(`process ${pid} did not write its heap to ${file}`);
}
