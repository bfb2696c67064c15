import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { HELP } from './options.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));

function lenet(...args: string[]) {
  const command = ['--import', 'tsx', 'main.ts', ...args];
  return spawnSync(process.execPath, command, { cwd: HERE, encoding: 'utf8' });
}

test('a training is told in the lines of Caffe', () => {
  const { status, stdout, stderr } = lenet('--iterations', '52', '--batch', '1');
  expect(stderr).toBe('');
  expect(status).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  const messages = lines.map((line) => {
    const parts = /^I\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ lenet\.ts:[1-9]\d*\] (.*)$/.exec(line);
    expect(parts, line).not.toBeNull();
    return parts![1]!.replace(/(loss|accuracy) = [\d.e-]+$/, '$1 = #');
  });
  expect(messages).toEqual([
    'Solving LeNet: 431080 parameters, batch 1, seed 1',
    'Iteration 0, loss = #',
    'Iteration 10, loss = #',
    'Iteration 20, loss = #',
    'Iteration 30, loss = #',
    'Iteration 40, loss = #',
    'Iteration 50, Testing net (#0)',
    '    Test net output #0: accuracy = #',
    'Iteration 50, loss = #',
    'Iteration 52, Testing net (#0)',
    '    Test net output #0: accuracy = #',
    'Optimization done: 52 iterations, test accuracy = #',
  ]);
});

test('help', () => {
  expect(lenet('--help')).toMatchObject({ status: 0, stdout: HELP, stderr: '' });
});

test('a mistake is one line on stderr and status 2', () => {
  const { status, stdout, stderr } = lenet('--batch', 'many');
  expect(status).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toBe(
    "lenet: --batch takes a whole number of at least 1, not 'many' (see --help)\n",
  );
});
