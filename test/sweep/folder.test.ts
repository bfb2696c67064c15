import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { needs } from '../support/programs.ts';
import { onTerminal } from '../support/pty.ts';
import { CLI, highwater, open, place, readRun, start, until } from '../support/recorder.ts';
import { manifestOf, SHORT, type Swept, states, swept } from './support.ts';

/** Each run notes that it began, and waits where a file tells it to. */
const NOTING = 'echo {a} >> {{begun}}; [ {a} != 2 ] || [ -e {{go}} ] || exec sleep 60; exit {a}0';

function noting(folder: string, values = '1,2,3', code = 'exit 0') {
  const [begun, go] = [`${folder}-begun`, `${folder}-go`];
  const script = NOTING.replace('{{begun}}', begun)
    .replace('{{go}}', go)
    .replace('exit {a}0', code);
  const flags = [...SHORT, '-o', folder, '--param', `a=${values}`];
  const argv = ['sweep', ...flags, '--', 'sh', '-c', script];
  const runs = () => (existsSync(begun) ? readFileSync(begun, 'utf8').trim().split('\n') : []);
  return { argv, runs, go: () => writeFileSync(go, '') };
}

describe.concurrent('a sweep that is cut short', () => {
  it('ends politely, and continues where it stopped', async () => {
    const folder = place('cut');
    const { argv, runs, go } = noting(folder);
    const { child, finished } = start(argv);
    await until(() => runs().length === 2);
    // A sweep under way is left alone.
    const second = await highwater(['sweep', '--continue', folder]);
    expect(second.stderr).toContain(`a sweep is under way in ${folder} (pid ${child.pid})`);
    expect((await highwater(['sweep', '--clean', folder])).code).toBe(2);

    child.kill('SIGINT');
    const cut = await finished;
    expect(cut.code).toBe(130);
    expect(cut.stderr).toContain(`highwater sweep --continue ${folder}`);
    expect(states(folder)).toEqual(['done', 'interrupted', 'waiting']);
    expect(readRun(join(folder, 'a=2.hw')).endedAt).not.toBeNull();
    expect(open(join(folder, 'a=2.hw')).damage).toEqual([]);
    expect(existsSync(join(folder, 'sweep.lock'))).toBe(false);
    expect(String(cut.stdout)).toMatch(/^ {2}2 .* interrupted$/m);

    go();
    const rest = await highwater(['sweep', '--continue', folder]);
    expect(rest.code).toBe(0);
    expect(rest.stderr).toContain('1 of 3 runs are there already');
    expect(runs()).toEqual(['1', '2', '2', '3']);
    expect(states(folder)).toEqual(['done', 'done', 'done']);

    // The same command on a folder that is done runs nothing, but makes what was taken away.
    rmSync(join(folder, 'a=3.hw'), { recursive: true });
    expect((await highwater(argv)).code).toBe(0);
    expect(runs()).toEqual(['1', '2', '2', '3', '3']);
  });

  needs('python3')('by Ctrl-C at a terminal, which reaches each run once', async () => {
    const folder = place('typed');
    const caught = `trap 'echo caught; exit 9' INT; echo {a}; [ {a} = 1 ] || while :; do sleep 0.1; done`;
    const log = join(folder, 'a=2.log');
    const argv = ['sweep', ...SHORT, '-o', folder, '--param', 'a=1,2,3', '--', 'sh', '-c', caught];
    const seen = await onTerminal(
      [process.execPath, CLI, ...argv],
      [{ wait: '\\[1/3\\] a=1: peak' }, { file: log, holds: '2\n' }, { send: '\x03' }],
    );
    expect(seen.code).toBe(130);
    expect(readFileSync(log, 'utf8')).toBe('2\ncaught\n');
    expect(states(folder)).toEqual(['done', 'interrupted', 'waiting']);
  });

  it('by kill -9 of the sweep alone leaves the run to its recorder', async () => {
    const folder = place('killed');
    const { argv, runs, go } = noting(folder);
    const { child, finished } = start(argv, { stdio: ['ignore', 'ignore', 'ignore'] });
    await until(() => runs().length === 2);
    child.kill('SIGKILL');
    await finished;
    expect(existsSync(join(folder, 'sweep.lock'))).toBe(true);
    const early = await highwater(['sweep', '--continue', folder]);
    expect([early.code, early.stderr]).toEqual([
      2,
      expect.stringMatching(/a=2\.hw is still being recorded \(pid \d+\)/),
    ]);
    process.kill(readRun(join(folder, 'a=2.hw')).recorder.pid, 'SIGTERM');
    await until(() => readRun(join(folder, 'a=2.hw')).endedAt !== null);
    go();
    const rest = await highwater(['sweep', '--continue', folder]);
    expect(rest.code).toBe(0);
    expect(states(folder)).toEqual(['done', 'done', 'done']);
  });

  it('keeps failures, unless they are to be tried again', async () => {
    const folder = place('failing');
    const { argv, runs, go } = noting(folder, '1,2', '[ -e {{go}} ]');
    const script = argv
      .at(-1)!
      .replace('{{go}}', `${folder}-go`)
      .replace('|| exec sleep 60', '|| true');
    const command = [...argv.slice(0, -1), script];
    expect((await highwater(command)).code).toBe(1);
    expect((await highwater(['sweep', '--continue', folder])).code).toBe(1);
    expect(runs()).toHaveLength(2);
    go();
    const again = await highwater(['sweep', '--continue', folder, '--retry-failed']);
    expect(again.code).toBe(0);
    expect(runs()).toHaveLength(4);
  });
});

let made: Promise<Swept> | undefined;

/** A copy of a sweep that is done: it is run once, for all that only need one. */
async function aSweep(): Promise<string> {
  made ??= swept(['--param', 'a=1,2,3'], ['echo', '{a}']);
  const copy = place('sweep');
  cpSync((await made).folder, copy, { recursive: true });
  return copy;
}

describe.concurrent('a folder', () => {
  it('of another plan, or of something else, is refused', async () => {
    const folder = await aSweep();
    const into = (...argv: string[]) => highwater(['sweep', '-o', folder, ...argv]);
    for (const [argv, what] of [
      [[...SHORT, '--param', 'a=1', '--', 'echo', '{a}'], '--param'],
      [[...SHORT, '--param', 'a=1,2,3', '--', 'echo', '-n', '{a}'], 'the command'],
      [[...SHORT, '--repeat', '2', '--param', 'a=1,2,3', '--', 'echo', '{a}'], '--repeat'],
      [['--param', 'a=1,2,3', '--', 'echo', '{a}'], 'a flag for the recorder'],
    ] as const) {
      const { code, stderr } = await into(...argv);
      expect(code).toBe(2);
      expect(stderr).toContain(`holds another sweep: ${what} is not the same`);
    }
    const mine = place('mine');
    mkdirSync(mine);
    writeFileSync(join(mine, 'notes.txt'), '');
    const { code, stderr } = await highwater([
      ...['sweep', '-o', mine, '--param', 'a=1', '--', 'echo', '{a}'],
    ]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('exists already, and is no sweep')]);
    expect(readdirSync(mine)).toEqual(['notes.txt']);
  });

  it('keeps no secrets, and so asks for them again', async () => {
    const { folder } = await swept(['--param', 'a=1'], ['echo', '--token', 'hush', '{a}']);
    expect(readFileSync(join(folder, 'sweep.json'), 'utf8')).not.toContain('hush');
    const { code, stderr } = await highwater(['sweep', '--continue', folder]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('held secrets')]);
  });

  it('is cleaned of what the sweep made, and of nothing else', async () => {
    const folder = await aSweep();
    const outside = place('outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'run.json'), '{}');
    for (const name of ['a=1.hw/notes.txt', 'mine.csv', 'Plots/mine.svg']) {
      writeFileSync(join(folder, name), '');
    }
    rmSync(join(folder, 'a=3.hw'), { recursive: true });
    symlinkSync(outside, join(folder, 'a=3.hw'));
    const { code, stdout, stderr } = await highwater(['sweep', '--clean', folder]);
    expect([code, String(stdout)]).toEqual([0, 'removed 7 recordings, logs and pictures\n']);
    const kept = stderr.trim().split('\n').sort();
    expect(kept).toEqual(
      ['Plots/mine.svg', 'a=1.hw/notes.txt', 'a=3.hw', 'mine.csv'].map(
        (name) => `kept, not the sweep's: ${folder}/${name}`,
      ),
    );
    expect(readdirSync(outside)).toEqual(['run.json']);
    expect(readdirSync(join(folder, 'a=1.hw'))).toEqual(['notes.txt']);
  });

  it('goes as a whole when nothing else is in it; without a manifest nothing is touched', async () => {
    const folder = await aSweep();
    expect((await highwater(['sweep', '--clean', folder])).code).toBe(0);
    expect(existsSync(folder)).toBe(false);
    const mine = place('mine');
    mkdirSync(mine);
    writeFileSync(join(mine, 'a=1.log'), '');
    const { code, stderr } = await highwater(['sweep', '--clean', mine]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('is no sweep: it has no sweep.json'),
    ]);
    expect(readdirSync(mine)).toEqual(['a=1.log']);
  });

  it.each([
    ['{', 'it is no JSON'],
    ['[]', "is not a sweep's"],
    ['{"type":"sweep","schemaVersion":99}', 'newer Highwater'],
    ['{"type":"sweep","schemaVersion":1}', "is damaged: 'startedAt'"],
  ])('with the manifest %s is named in one line', async (text, message) => {
    const folder = place('damaged');
    mkdirSync(folder);
    writeFileSync(join(folder, 'sweep.json'), text);
    for (const argv of [
      ['report', folder],
      ['sweep', '--clean', folder],
    ]) {
      const { code, stderr } = await highwater(argv);
      expect(code).toBe(2);
      expect(stderr).toContain(message);
      expect(stderr.trim().split('\n')).toHaveLength(1);
    }
  });

  it('whose manifest names files elsewhere reaches none of them', async () => {
    const folder = await aSweep();
    const manifest = manifestOf(folder);
    for (const name of ['../victim.hw', '/tmp/victim.hw', 'a/../../victim.hw', '.hw']) {
      const runs = manifest.runs.map((run) => ({ ...run, recording: name }));
      writeFileSync(join(folder, 'sweep.json'), JSON.stringify({ ...manifest, runs }));
      const { code, stderr } = await highwater(['sweep', '--clean', folder]);
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining("'runs' is not what it should be"),
      ]);
    }
    expect(existsSync(join(folder, 'a=1.hw'))).toBe(true);
  });
});
