import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { cleanEnv } from '../support/recorder.ts';

/** Runs npm without what the test runner's own npm set for its scripts. */
export async function npm(cwd: string, ...argv: string[]): Promise<string> {
  const env = Object.fromEntries(
    Object.entries(cleanEnv()).filter(([name]) => !/^npm_(config|package|lifecycle)_/i.test(name)),
  );
  const { stdout } = await promisify(execFile)('npm', argv, {
    cwd,
    env,
    maxBuffer: 64 * 2 ** 20,
  });
  return stdout;
}
