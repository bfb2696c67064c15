import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { needs } from '../support/programs.ts';
import { CLI, cleanEnv, place, readRun } from '../support/recorder.ts';

const run = (program: string, ...words: string[]) =>
  promisify(execFile)(program, words, { env: cleanEnv() });

interface Told {
  readonly cpu: [number, number][];
  readonly wall: [number, number][];
  readonly stolen: number[];
}

function blocksOf(file: string): Told {
  return JSON.parse(readFileSync(file, 'utf8')) as Told;
}

describe('the workloads of the benchmarks', () => {
  for (const where of ['pipe', 'terminal']) {
    needs('python3')(`print to a recorder on a ${where} that is stopped by turns`, async () => {
      const [recording, result] = [place(), place('blocks.json')];
      const record = ['record', '--before', '0', '--after', '0', '--quiet', '-o', recording, '--'];
      const prints = ['bench/prints.py', '3', '1000', '20000', 'iterations', 'recorded', result];
      const command = [process.execPath, CLI, ...record, 'python3', ...prints];
      await run('python3', 'bench/drain.py', where, ...command);
      const { cpu, wall } = blocksOf(result);
      expect(cpu.length).toBe(3);
      for (const value of [...cpu, ...wall].flat()) expect(value).toBeGreaterThan(0);
      const { exit, sampling } = readRun(recording);
      expect(exit).toMatchObject({ code: 0 });
      // It was stopped, and went on.
      expect(sampling.missed).toBeGreaterThan(0);
      expect(sampling.ticks).toBeGreaterThan(0);
    });
  }

  needs('python3')('print a line in a hundred more where the control says so', async () => {
    const [other, result] = [place('other.txt'), place('blocks.json')];
    const words = ['bench/prints.py', '2', '400', '20000', 'ordinary', 'more', result];
    const env = cleanEnv({ BENCH_OTHER: other, BENCH_CORE: '' });
    const { stdout } = await promisify(execFile)('python3', words, { env });
    const lines = (text: string) => text.split('\n').length - 1;
    // Two blocks each, and six to measure out the work; the fifty lines before each do not count.
    expect(lines(stdout)).toBe(2 * (50 + 404));
    expect(lines(readFileSync(other, 'utf8'))).toBe((6 + 2) * (50 + 400));
    const { wall, stolen } = blocksOf(result);
    expect([wall.length, stolen.length]).toEqual([2, 2]);
  });

  needs('python3')('measure the work alone', async () => {
    const result = place('work.json');
    await run('python3', 'bench/overhead.py', 'objects', '1', result);
    const { cpu, wall } = JSON.parse(readFileSync(result, 'utf8')) as { cpu: number; wall: number };
    expect(cpu).toBeGreaterThan(0);
    expect(wall).toBeGreaterThan(0);
  });
});
