import { existsSync, rmSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { formatBytes } from '../../../base/bytes.ts';
import { UserError } from '../../../base/errors.ts';
import { answersTo, askAgent } from '../../../sources/agent/ask.ts';
import { languageOf, programOf, takeNodeHeap } from '../../../sources/inspector/index.ts';
import { ProgressLine } from '../../output/progress-line.ts';
import { tell } from '../../output/terminal.ts';

const PATIENCE_MS = 600_000;
export const INSPECTOR_LINES =
  'its inspector was opened for that: Node itself wrote lines about its debugger to the program’s stderr';

interface Flags {
  readonly out?: string;
  readonly force?: true;
  readonly attach?: boolean;
}

/** A heap of a running program, in a file; its path. */
export async function takeHeap(pid: number, flags: Flags): Promise<string> {
  const language = languageOf(pid);
  const program = language === null ? programOf(pid) : null;
  if (program !== null) {
    throw new UserError(`process ${pid} runs ${basename(program)}, neither Node nor Python`, {
      hint: 'nothing was sent to it',
    });
  }
  const ending = language === 'python' ? 'hwheap' : 'heapsnapshot';
  const stamp = new Date()
    .toISOString()
    .replace(/[-:]|\..*/g, '')
    .replace('T', '-');
  const file = resolve(flags.out ?? `heap-${pid}-${stamp}.${ending}`);
  if (existsSync(file) && !flags.force) {
    throw new UserError(`${file} exists`, { hint: 'choose another name, or --force' });
  }
  if (language === 'python') {
    const { takePythonHeap } = await import('./take-python.ts');
    await takePythonHeap(pid, file, flags.attach !== false);
  } else await takeOfNode(pid, file, flags.force ?? false);
  return file;
}

/** Asks the agent that `record --heap` let in; without one only the inspector is left, about which Node says something itself. */
async function takeOfNode(pid: number, file: string, force: boolean): Promise<void> {
  if (await answersTo(pid, 'heap')) {
    if (force) rmSync(file, { force });
    const answer = await askAgent(pid, 'heap', { file, force }, PATIENCE_MS);
    const { bytes, pauseMs } = answer as { bytes: number; pauseMs: number };
    const pause = `the program stood still for ${pauseMs.toFixed(0)} ms`;
    tell(`${formatBytes(bytes)} written to ${file}; ${pause}\n`);
    return;
  }
  const progress = new ProgressLine(`taking the heap of process ${pid}`);
  try {
    const { bytes } = await takeNodeHeap(pid, file, {
      force,
      onProgress: (share) => progress.at(share),
    });
    tell(`${formatBytes(bytes)} written to ${file}\n${INSPECTOR_LINES}\n`);
  } finally {
    progress.end();
  }
}
