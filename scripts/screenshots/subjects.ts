import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const CLI = 'dist/cli.js';
/** Relative, as all words of a command: they are seen in the pictures. */
const HERE = 'scripts/screenshots';
/** Without shelves before and after, where nobody asks about leaks. */
const SHORT = ['--before', '0', '--after', '0'];

/** Makes something to look at in a folder, and says what to give to `highwater view`. */
export type Subject = (folder: string) => string[];

/** The LeNet of `npm start` with its profiler and a planted leak. */
export const lenet: Subject = (folder) => [
  recorded(folder, 'lenet-leak', ['node', ...lenetWords, '--leak']),
];

/** The same, once as it should be and once with the leak. */
export const twoLenets: Subject = (folder) => [
  recorded(folder, 'lenet', ['node', ...lenetWords], SHORT),
  recorded(folder, 'lenet-leak', ['node', ...lenetWords, '--leak'], SHORT),
];

const lenetWords = ['--import', 'tsx', 'examples/lenet/main.ts', '--profile', '100'];

/** A snapshot of a GPT's training on an H200. */
export const training: Subject = () => [
  'test/fixtures/snapshots/training/gpt_adam_allstacks.pickle.gz',
];

/** The same model in float32, and under autocast with a fused optimizer. */
export const twoTrainings: Subject = () => [
  'test/fixtures/snapshots/training/gpt_adam_allstacks.pickle.gz',
  'test/fixtures/snapshots/training/gpt_fused_amp.pickle.gz',
];

/** Sequences of many lengths, which leave holes in what is reserved. */
export const lengths: Subject = () => ['test/fixtures/snapshots/what-if/lstm_varlen.pickle.gz'];

/** Needs a Python with torch: HIGHWATER_PYTHON, else python3. */
export const ranks: Subject = (folder) => [
  recorded(
    folder,
    'ranks',
    [process.env.HIGHWATER_PYTHON ?? 'python3', join(HERE, 'ranks.py')],
    SHORT,
  ),
];

export const heaps: Subject = (folder) => {
  const files = ['before', 'after'].map((name) => join(folder, `${name}.heapsnapshot`));
  run([join(HERE, 'sessions.cjs'), ...files]);
  return files;
};

export const batches: Subject = (folder) => {
  const out = join(folder, 'batches');
  const program = ['python3', join(HERE, 'batches.py'), '{batch}'];
  run([
    CLI,
    'sweep',
    '-q',
    ...SHORT,
    '-o',
    out,
    '--param',
    'batch=8,16,32,48,64',
    '--',
    ...program,
  ]);
  return [out];
};

function recorded(
  folder: string,
  name: string,
  command: readonly string[],
  flags: readonly string[] = [],
): string {
  const out = join(folder, `${name}.hw`);
  run([CLI, 'record', '-q', ...flags, '--name', name, '-o', out, '--', ...command]);
  return out;
}

function run(words: readonly string[]): void {
  // Figures and chatter of the programs are not wanted; what goes wrong is.
  const { status, stderr } = spawnSync(process.execPath, words, {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
}
