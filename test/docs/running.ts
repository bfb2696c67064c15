import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { inOneProcess } from '../support/one-process.ts';
import { cleanEnv, ELSEWHERE } from '../support/recorder.ts';
import { calls } from './command-lines.ts';

export interface Ran {
  readonly code: number | null;
  /** Both streams, as they came. */
  readonly output: string;
}

/** Verbs that start no program: they need no process of their own, which is most of what they take. */
const READING = [
  ...['report', 'plot', 'compare', 'analyze', 'import', 'export', 'pack', 'heap', 'list'],
  ...['doctor', 'completion'],
];

/** Runs a line of a document in a folder; what starts no program, in a process for all of them. */
export function ran(text: string, folder: string): Promise<Ran> {
  const [words] = calls(text);
  const plain = !/[|&;<>*?$`]/.test(text.replace(/'[^']*'/g, '')) && words !== undefined;
  return plain && startsNothing(words) ? inOneProcess(words, folder) : inAShell(text, folder);
}

const startsNothing = (words: readonly string[]) =>
  READING.includes(words[0]!) ||
  (words[0] === 'check' && !words.includes('--')) ||
  (words[0] === 'sweep' && words.includes('--dry-run'));

function inAShell(text: string, cwd: string): Promise<Ran> {
  const PATH = `${join(cwd, 'bin')}${delimiter}${process.env.PATH}`;
  const env = cleanEnv({ ...ELSEWHERE, PATH });
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
