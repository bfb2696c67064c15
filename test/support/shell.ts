import { spawn } from 'node:child_process';
import { shellJoin } from '../../src/base/text.ts';
import { CLI, cleanEnv, SCRATCH } from './recorder.ts';

/** The words of a highwater command as a shell takes them, to be put into a line with pipes. */
export function shell(...argv: string[]): string {
  return shellJoin([process.execPath, CLI, ...argv]);
}

/** What a line of shell prints; its errors go to ours. */
export function runLine(line: string, cwd = SCRATCH): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', line], {
      cwd,
      env: cleanEnv(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk;
    });
    child.once('error', reject);
    child.once('close', () => resolve(text));
  });
}
