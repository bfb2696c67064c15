import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { UserError } from '../../src/base/errors.ts';
import { VERBS } from '../../src/cli/verbs.ts';
import { cleanEnv } from '../support/recorder.ts';
import { calls } from './command-lines.ts';

export interface Ran {
  readonly code: number | null;
  /** Both streams, as they came. */
  readonly output: string;
}

/** Verbs that only read: they need no process of their own, and starting one is most of what they take. */
const READING = ['report', 'plot', 'compare', 'analyze', 'import', 'export', 'pack', 'heap'];

/** Runs a line of a document in a folder; what only reads, in this process. */
export async function ran(text: string, folder: string): Promise<Ran> {
  const [words] = calls(text);
  const plain = !/[|&;<>*?$`]/.test(text.replace(/'[^']*'/g, '')) && words !== undefined;
  const here = plain && (READING.includes(words[0]!) || isCheckOfFiles(words));
  return (here ? await inThisProcess(words, folder) : null) ?? inAShell(text, folder);
}

const isCheckOfFiles = (words: readonly string[]) => words[0] === 'check' && !words.includes('--');

/** null where it failed: what a user is then told is the program's own to say. */
async function inThisProcess(
  [verb, ...rest]: readonly string[],
  folder: string,
): Promise<Ran | null> {
  const home = process.cwd();
  const { stdout, stderr } = process;
  const streams = [stdout, stderr].map((stream) => ({ stream, write: stream.write }));
  let output = '';
  const write = (chunk: string | Uint8Array, ...more: unknown[]) => {
    output += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    for (const one of more) if (typeof one === 'function') one();
    return true;
  };
  process.chdir(folder);
  for (const { stream } of streams) stream.write = write;
  try {
    const module = await VERBS.find(({ name }) => name === verb)!.load();
    return { code: await module.run(rest, VERBS), output };
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  } finally {
    for (const one of streams) one.stream.write = one.write;
    process.chdir(home);
  }
}

function inAShell(text: string, cwd: string): Promise<Ran> {
  const env = cleanEnv({ PATH: `${join(cwd, 'bin')}${delimiter}${process.env.PATH}` });
  // One pipe for both streams, so that their rows come in order.
  const child = spawn('sh', ['-c', `{ ${text}\n} 2>&1`], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', (code) => done({ code, output }));
  });
}
