import { describe, expect, it } from 'vitest';
import { command as recordCommand } from '../../src/cli/commands/record.ts';
import { command as sweepCommand } from '../../src/cli/commands/sweep.ts';
import { RECORD_FLAGS } from '../../src/cli/flags/record.ts';
import {
  agentFlags,
  forwardedWords,
  recordRequest,
  recordWords,
} from '../../src/cli/flags/record-words.ts';

const asked = (...words: string[]) =>
  recordRequest(recordCommand().parse(words, { from: 'user' }).opts());
const swept = (...words: string[]) =>
  forwardedWords(sweepCommand().parse(words, { from: 'user' }).opts());

describe('the flags of record', () => {
  it('each set one option; without them each has a value all the same', () => {
    const none = asked();
    const defaults = Object.entries(RECORD_FLAGS).map(([name, flag]) => [name, flag.defaultValue]);
    expect(none).toEqual(Object.fromEntries(defaults));
    const some = asked('--rate', '20', '--no-watch', '--sizes', '--max-disk', '1KiB', '-q');
    expect(some).toEqual({
      ...none,
      rateHz: 20,
      watch: false,
      sizes: 'exit',
      maxDisk: 2 ** 20,
      quiet: true,
    });
  });

  it('know which of them need the agent', () => {
    expect(agentFlags(asked('--rate', '20'))).toEqual([]);
    const given = asked('--sizes', '--layers', '--gpu-limit', '24GiB');
    expect(agentFlags(given)).toEqual(['--layers', '--gpu-limit', '--sizes']);
  });

  it('are written as they are read', () => {
    const words = recordWords({ quiet: true, force: false, out: 'a b', repeat: 3, sizes: 'exit' });
    expect(words).toEqual(['--quiet', '--out', 'a b', '--repeat', '3', '--sizes', 'exit']);
    expect(asked(...words)).toMatchObject({ quiet: true, out: 'a b', repeat: 3, sizes: 'exit' });
  });
});

describe('what a sweep hands on', () => {
  it('is as it was written, in the order of its help, the last of each but marks', () => {
    const marks = ['step (?<iteration>\\d+)', '(?<name>save)'];
    const words = swept(
      ...['--mark', marks[0]!, '--rate', '20', '--log', '{a}.log', '--mark', marks[1]!],
      ...['--stop-after', '8', '--rate', '30', '--sizes', '--gpu', 'off'],
    );
    expect(words).toEqual([
      ...['--rate', '30', '--gpu', 'off', '--sizes', 'exit', '--stop-after', '8'],
      ...['--log', '{a}.log', '--mark', marks[0], '--mark', marks[1]],
    ]);
    expect(asked(...words)).toMatchObject({ rateHz: 30, stopAfter: 8, logFile: '{a}.log' });
  });

  it('is nothing where nothing was given', () => expect(swept('--repeat', '2')).toEqual([]));
});
