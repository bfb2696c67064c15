import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { highwater, open, place, readRun, start, until } from '../support/recorder.ts';

describe.concurrent('without a command', () => {
  it('records the bare host for a while', async () => {
    const folder = place();
    const { code, stderr } = await highwater(['record', '--duration', '0.7', '-o', folder]);
    expect(code).toBe(0);
    expect(stderr).toContain('the machine was watched');
    const recording = open(folder);
    expect(recording.run).toMatchObject({ subject: 'host', argv: [], exit: null, rootPid: null });
    expect(recording.run.endedAt).not.toBeNull();
    expect(recording.table('host').rows).toBeGreaterThan(10);
    expect(recording.table('process').rows).toBe(0);
  });

  it('records the bare host until it is interrupted', async () => {
    const folder = place();
    const { child, finished } = start(['record', '-q', '-o', folder]);
    await until(() => rows(folder) > 0);
    child.kill('SIGINT');
    expect((await finished).code).toBe(0);
    expect(readRun(folder).endedAt).not.toBeNull();
  });

  it('records a running process and its children until it ends', async () => {
    const folder = place();
    const target = spawn('sh', ['-c', 'sleep 60 & wait'], { stdio: 'ignore', detached: true });
    try {
      const { finished } = start(['record', '-q', '--pid', String(target.pid), '-o', folder]);
      await until(() => rows(folder, 'process') > 20);
      process.kill(-target.pid!, 'SIGKILL');
      expect((await finished).code).toBe(0);
      const { run, table, text } = open(folder);
      expect(run).toMatchObject({ subject: 'pid', rootPid: target.pid, name: `pid${target.pid}` });
      const names = [...table('processes').u32('name')].map(text);
      expect(new Set(names)).toEqual(new Set(['sh', 'sleep']));
    } finally {
      try {
        process.kill(-target.pid!, 'SIGKILL');
      } catch {}
    }
  });

  it('lets a process go on that outlives --duration', async () => {
    const target = spawn('sleep', ['60'], { stdio: 'ignore' });
    try {
      const flags = ['--pid', String(target.pid), '--duration', '0.5', '-o', place()];
      const { code, stderr } = await highwater(['record', ...flags]);
      expect(code).toBe(0);
      expect(stderr).toContain('outlived the recording');
      expect(target.exitCode).toBeNull();
      expect(target.signalCode).toBeNull();
    } finally {
      target.kill('SIGKILL');
    }
  });

  it('ends also when the process stays behind as a zombie, at the lowest rate', async () => {
    // The first child ends, but its parent never asks for it.
    const parent = spawn('sh', ['-c', 'sleep 2 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      const pid = await new Promise<string>((resolve) =>
        parent.stdout.once('data', (chunk: Buffer) => resolve(String(chunk).trim())),
      );
      const flags = ['--rate', '1', '--pid', pid, '-q', '-o', place()];
      expect((await highwater(['record', ...flags])).code).toBe(0);
    } finally {
      parent.kill('SIGKILL');
    }
  });

  it('refuses a process that is not there, and both at once', async () => {
    const folder = place();
    const absent = await highwater(['record', '--pid', '4194304', '-o', folder]);
    expect(absent.code).toBe(125);
    expect(absent.stderr).toBe('highwater: there is no process with pid 4194304\n');
    const both = await highwater(['record', '--pid', String(process.pid), '--', 'echo', 'ran']);
    expect(both.code).toBe(125);
    expect(both.stderr).toContain('not both');
    expect(String(both.stdout)).toBe('');
  });
});

function rows(folder: string, table: 'host' | 'process' = 'host'): number {
  try {
    return open(folder).table(table).rows;
  } catch {
    return 0;
  }
}
