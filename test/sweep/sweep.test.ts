import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Sweep } from '../../src/analyses/sweep/index.ts';
import { needs, python } from '../support/programs.ts';
import { highwater, open, place, readRun } from '../support/recorder.ts';
import { allocator, manifestOf, SHORT, swept } from './support.ts';

const node = process.execPath;
const peaks = ({ combinations }: Sweep) =>
  combinations.map((row) => Math.round((row.peakBytes?.mean ?? 0) / 2 ** 20));

describe('sweep', () => {
  it('records each combination, goes on after a failure, and puts all side by side', async () => {
    const argv = [node, allocator(), '{size}'];
    const { code, stderr, folder, result } = await swept(['--param', 'size=8,fail,128,64'], argv);
    expect(code).toBe(1);
    expect(result).toMatchObject({ type: 'sweep', schemaVersion: 1, repeat: 1, jobs: 1 });
    expect(result.series).toMatch(/^tree\./);
    expect(result.runs).toMatchObject({ done: 3, failed: 1, waiting: 0 });
    const [small, , large, middle] = peaks(result);
    expect(large! - small!).toBeGreaterThan(100);
    expect(large! - small!).toBeLessThan(140);
    expect(middle! - small!).toBeGreaterThan(40);
    expect(result.combinations[1]!.runs[0]).toMatchObject({
      state: 'failed',
      exitCode: 3,
      reason: 'exit code 3: there is no size fail',
    });
    expect(result.combinations[2]).toMatchObject({ name: 'size=128', params: { size: '128' } });
    expect(stderr).toMatch(/^\[1\/4\] size=8: peak .* MiB, .*; about \d+ s left$/m);
    expect(stderr).toMatch(/^\[2\/4\] size=fail: failed, exit code 3/m);
    expect(stderr).toMatch(/^\[4\/4\] size=64: peak [^;]*$/m);

    expect(readdirSync(folder).sort()).toEqual([
      'Plots',
      'size=128.hw',
      'size=128.log',
      'size=64.hw',
      'size=64.log',
      'size=8.hw',
      'size=8.log',
      'size=fail.hw',
      'size=fail.log',
      'sweep.json',
    ]);
    expect(readFileSync(join(folder, 'size=64.log'), 'utf8')).toBe('holding 64\n');
    const run = readRun(join(folder, 'size=64.hw'));
    expect(run.name).toBe('size=64');
    expect(run.labels).toMatchObject({ 'param.size': '64', 'sweep.repeat': '1' });
    expect(run.argv.at(-1)).toBe('64');

    const svg = readFileSync(join(folder, 'Plots/overlay.svg'), 'utf8');
    for (const words of ['size=8', 'size=fail, failed', 'size=128', 'size=64']) {
      expect(svg).toContain(`>${words}`);
    }
    expect(readFileSync(join(folder, 'Plots/overlay.png')).subarray(1, 4).toString()).toBe('PNG');

    // The same again from the folder alone.
    const report = await highwater(['report', folder, '--json']);
    expect(JSON.parse(String(report.stdout))).toEqual(result);
    const text = String((await highwater(['report', folder])).stdout);
    expect(text).toMatch(/^Highest: size=128 peaks at .* Lowest: size=8, /);
    expect(text).toMatch(/^ {2}fail .* code 3$/m);
    const compared = await highwater(['compare', folder, '--json']);
    const { runs } = JSON.parse(String(compared.stdout)) as { runs: { peakBytes: number }[] };
    expect(runs.map((one) => one.peakBytes).sort()).toEqual(
      result.combinations.map((row) => row.peakBytes!.mean).sort(),
    );
  });

  it('makes a grid, fills words and variables, and keeps hostile values inside its folder', async () => {
    const code = 'printf "%s\\n" "$@" "$V" "$HOME"';
    const flags = ['--param', 'a=../../x,$(touch y)\\,z', '--param', 'b=1,2', '--env', 'V=<{a}>'];
    const sweep = await swept(flags, ['sh', '-c', code, 'sh', '--b={b}', '{{a}}', '{"k":{b}}']);
    expect(sweep.code).toBe(0);
    const { combinations } = sweep.result;
    expect(combinations.map((row) => row.name)).toEqual([
      'a=../../x,b=1',
      'a=../../x,b=2',
      'a=$(touch y),z,b=1',
      'a=$(touch y),z,b=2',
    ]);
    const printed = combinations.map(({ runs }) => {
      const log = runs[0]!.recording.replace(/\.hw$/, '.log');
      return readFileSync(join(sweep.folder, log), 'utf8').trimEnd().split('\n');
    });
    const home = process.env.HOME;
    expect(printed).toEqual([
      ['--b=1', '{a}', '{"k":1}', '<../../x>', home],
      ['--b=2', '{a}', '{"k":2}', '<../../x>', home],
      ['--b=1', '{a}', '{"k":1}', '<$(touch y),z>', home],
      ['--b=2', '{a}', '{"k":2}', '<$(touch y),z>', home],
    ]);
    for (const name of readdirSync(sweep.folder)) expect(name).toMatch(/^(Plots|sweep\.json|a=)/);
    expect(existsSync(join(sweep.folder, 'y'))).toBe(false);
    expect(readRun(join(sweep.folder, combinations[0]!.runs[0]!.recording)).labels).toMatchObject({
      'param.a': '../../x',
      'param.b': '1',
    });
  });

  it('reports programs that are not there, and refuses one that none of the runs would find', async () => {
    const some = await swept(['--param', 'program=true,no-such-program'], ['{program}']);
    expect(some.code).toBe(1);
    expect(some.result.combinations[1]!.runs[0]).toMatchObject({
      state: 'failed',
      exitCode: 127,
      reason: 'command not found: no-such-program',
      figures: null,
    });
    const folder = place('never');
    const none = ['sweep', '-o', folder, '--param', 'a=1', '--', 'no-such-program', '{a}'];
    const { code, stderr } = await highwater(none);
    expect([code, stderr]).toEqual([127, 'highwater: command not found: no-such-program\n']);
    expect(existsSync(folder)).toBe(false);
  });

  it.each([
    [['--param', 'a=1', '--', 'echo', '{b}'], 'there is no parameter for {b}'],
    [['--param', 'kernel=1', '--', 'echo', '{kernle}'], 'did you mean {kernel}?'],
    [['--param', 'a=1', '--param', 'b=1', '--', 'echo', '{a}'], "parameter 'b' is not used"],
    [['--param', 'a=1', '--rate', '0', '--', 'echo', '{a}'], '--rate'],
    [['--param', 'a=1', '--mark', '(', '--', 'echo', '{a}'], '--mark'],
    [['--param', 'a=1', '--name', '../x', '--', 'echo', '{a}'], 'cannot be a name'],
  ])('refuses %s before anything runs', async (argv, message) => {
    const folder = place('never');
    const { code, stderr } = await highwater(['sweep', '-o', folder, ...argv]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(existsSync(folder)).toBe(false);
  });

  it('lists commands without running them', async () => {
    const argv = ['sweep', '--dry-run', '--param', 'a=1..2', '--env', 'V={a}', '--', 'x', 'b {a}'];
    const { stdout, code } = await highwater(argv);
    expect([code, String(stdout)]).toEqual([0, "env V=1 x 'b 1'\nenv V=2 x 'b 2'\n"]);
  });

  it('ends runs after so many iterations, which is no failure, and over a limit, which is', async () => {
    const loop = 'for i in $(seq 1 200); do echo "step $i/200"; sleep 0.05; done';
    const stopped = await swept(['--param', 'a=1', '--stop-after', '3'], ['sh', '-c', loop, '{a}']);
    expect(stopped.code).toBe(0);
    const [run] = stopped.result.combinations[0]!.runs;
    expect(run).toMatchObject({ state: 'done' });
    expect(run!.reason).toMatch(/^--stop-after 3/);

    const limit = ['--param', 'size=8,200', '--memory-limit', '150MiB'];
    const limited = await swept(limit, [node, allocator(), '{size}']);
    expect(limited.code).toBe(1);
    expect(limited.result.combinations.map((row) => row.well)).toEqual([true, false]);
    expect(limited.result.combinations[1]!.runs[0]!.reason).toMatch(/^--memory-limit 150 MiB/);
  });

  it('runs side by side, and then trusts only what is each one’s own', async () => {
    const flags = ['--jobs', '2', '--param', 'size=8,64,128'];
    const { code, result, stderr, folder } = await swept(flags, [node, allocator(), '{size}']);
    expect(code).toBe(0);
    expect(stderr).toContain('2 runs side by side: figures of the whole machine');
    expect(result.series).toMatch(/^tree\.(pss|rss)$/);
    const [a, b, c] = peaks(result);
    expect([a! < b!, b! < c!]).toEqual([true, true]);
    const runs = ['8', '64'].map((size) => open(join(folder, `size=${size}.hw`)).run);
    const [first, second] = runs.map((run) => [
      Date.parse(run.startedAt),
      Date.parse(run.endedAt!),
    ]);
    expect(Math.max(first![0]!, second![0]!)).toBeLessThan(Math.min(first![1]!, second![1]!));
  });

  needs('python3')('repeats, and marks what is within noise', async () => {
    const counts = place('counts');
    // Each variant scatters by a few MiB from run to run, in a way that is the same each time.
    const code = `
import os, sys, time
name = sys.argv[1]
path = sys.argv[2] + '-' + name
run = os.path.getsize(path) if os.path.exists(path) else 0
open(path, 'a').write('x')
held = b'x' * (({'one': 40, 'same': 41, 'more': 120}[name] + [0, 6, 3][run]) << 20)
time.sleep(0.15)`;
    const flags = ['--repeat', '3', '--param', 'v=one,same,more'];
    const {
      code: exit,
      result,
      folder,
    } = await swept(flags, [python(), '-c', code, '{v}', counts]);
    expect(exit).toBe(0);
    expect(result.combinations.map((row) => row.measured)).toEqual([3, 3, 3]);
    const noise = Object.fromEntries(
      result.differences.map(({ a, b, withinNoise }) => [[a, b].sort().join(' '), withinNoise]),
    );
    expect(noise).toEqual({
      'v=one v=same': true,
      'v=more v=one': false,
      'v=more v=same': false,
    });
    expect(readdirSync(folder)).toContain('v=more#3.hw');
    // Every variant is run once before any is run again.
    expect(manifestOf(folder).runs.map((run) => run.repeat)).toEqual([1, 1, 1, 2, 2, 2, 3, 3, 3]);
    const text = String((await highwater(['report', folder])).stdout);
    expect(text).toMatch(/Within noise \(≈\), so not to be told apart: v=\w+ and v=\w+ \(/);
    expect(text).toMatch(/^ {2}more .* \+\d+(\.\d)? MiB .* ok$/m);
  });

  it('shows the commands’ output on stderr where that is wanted', async () => {
    const argv = ['sweep', ...SHORT, '-o', place('shown'), '--show-output', '--param', 'a=x,y'];
    const { stdout, stderr, code } = await highwater([...argv, '--', 'echo', 'hello {a}']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/hello x\n[\s\S]*hello y\n/);
    expect(String(stdout)).not.toContain('hello');
    expect(String(stdout)).toMatch(/ +a +peak/);
  });
});
