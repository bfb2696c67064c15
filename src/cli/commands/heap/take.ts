import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { formatBytes } from '../../../base/bytes.ts';
import { UserError } from '../../../base/errors.ts';
import { languageOf, programOf, takeNodeHeap } from '../../../sources/inspector/index.ts';
import { ProgressLine } from '../../output/progress-line.ts';
import { tell } from '../../output/terminal.ts';

interface Flags {
  readonly out?: string;
  readonly force?: true;
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
    await takePythonHeap(pid, file);
  } else {
    const progress = new ProgressLine(`taking the heap of process ${pid}`);
    try {
      const force = flags.force ?? false;
      const { bytes } = await takeNodeHeap(pid, file, {
        force,
        onProgress: (share) => progress.at(share),
      });
      tell(`${formatBytes(bytes)} written to ${file}\n`);
    } finally {
      progress.end();
    }
  }
  return file;
}
