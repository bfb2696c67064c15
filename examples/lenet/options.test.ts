import { expect, test } from 'vitest';
import { DEFAULTS, HELP, parseOptions, UsageError } from './options.ts';

test('no flags', () => {
  expect(parseOptions([])).toEqual(DEFAULTS);
});

test('all the flags', () => {
  const args = [
    '--iterations',
    '3',
    '--batch=16',
    '--seed',
    '0',
    '--leak',
    '--profile',
    '5',
    '--help',
  ];
  expect(parseOptions(args)).toEqual({
    iterations: 3,
    batch: 16,
    seed: 0,
    leak: true,
    profile: 5,
    help: true,
  });
});

test.each([
  [['--iterations', '0']],
  [['--iterations', '1e3']],
  [['--iterations', '']],
  [['--iterations']],
  [['--batch', '-3']],
  [['--batch', '2.5']],
  [['--seed', '99999999999999999999']],
  [['--leak=yes']],
  [['--unknown']],
  [['extra']],
])('%j is a mistake said in one line', (args) => {
  let message = '';
  try {
    parseOptions(args);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    message = (error as Error).message;
  }
  expect(message).toMatch(/^.{10,100}$/);
});

test('the help names every flag and the size of the leak', () => {
  for (const flag of Object.keys(DEFAULTS)) expect(HELP).toContain(`--${flag}`);
  expect(HELP).toMatch(/about \d+\.\d MB/);
});
