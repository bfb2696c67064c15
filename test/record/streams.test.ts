import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { needs, python } from '../support/programs.ts';
import {
  isAlive,
  place,
  readRun,
  recorded,
  shortFlags,
  start,
  until,
} from '../support/recorder.ts';
import { runLine, shell } from '../support/shell.ts';

const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
/** Bytes that any translation of text or line ends would change. */
const noise = (size: number) => {
  const bytes = Buffer.alloc(size);
  for (let i = 0, state = 1; i < size; i++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[i] = state >>> 16;
  }
  return bytes;
};

describe.concurrent('the command’s streams', () => {
  it('pass 10 MB of binary output to a slow reader, byte for byte', async () => {
    const file = place('noise');
    writeFileSync(file, noise(10_000_000));
    const { child, finished } = start([...shortFlags(place()), '--', 'cat', file]);
    let pauses = 0;
    child.stdout!.on('data', () => {
      if (pauses++ > 20) return;
      child.stdout!.pause();
      setTimeout(() => child.stdout!.resume(), 40);
    });
    const { stdout, code } = await finished;
    expect(code).toBe(0);
    expect(stdout.length).toBe(10_000_000);
    expect(sha(stdout)).toBe(sha(readFileSync(file)));
  });

  it('lose nothing when the reader begins long after the command ended', async () => {
    // As much as fits into the pipes on the way, so that the command is gone when reading begins.
    const folder = place();
    const command = shell(
      ...shortFlags(folder),
      '--',
      'sh',
      '-c',
      'head -c 100000 /dev/zero; exit 5',
    );
    const ended = `grep -qs '"code": 5' ${folder}/run.json`;
    const line = `${command} | { until ${ended}; do sleep 0.1; done; sleep 0.5; wc -c; }`;
    expect(Number(await runLine(line))).toBe(100_000);
  });

  it('keep stdout and stderr apart, and in order where they are one', async () => {
    const both = 'for i in 1 2 3 4 5 6 7 8; do echo o$i; echo e$i >&2; done';
    const { stdout, stderr } = await recorded([], ['sh', '-c', both]);
    expect(String(stdout)).toBe('o1\no2\no3\no4\no5\no6\no7\no8\n');
    expect(stderr).toBe('e1\ne2\ne3\ne4\ne5\ne6\ne7\ne8\n');
    const line = `${shell(...shortFlags(place()), '--', 'sh', '-c', both)} 2>&1 | cat`;
    const joined = [1, 2, 3, 4, 5, 6, 7, 8].map((i) => `o${i}\ne${i}\n`).join('');
    expect(await runLine(line)).toBe(joined);
  });

  it('hand in what comes from a pipe and from a file', async () => {
    const bytes = noise(300_000);
    const piped = await recorded([], ['cat'], { stdin: bytes });
    expect(sha(piped.stdout)).toBe(sha(bytes));
    const file = place('input');
    writeFileSync(file, bytes);
    const fd = openSync(file, 'r');
    const fromFile = await recorded([], ['sh', '-c', 'readlink /proc/self/fd/0; cat'], {
      stdio: [fd, 'pipe', 'pipe'],
    });
    closeSync(fd);
    expect(String(fromFile.stdout.subarray(0, file.length))).toBe(file);
    expect(sha(fromFile.stdout.subarray(file.length + 1))).toBe(sha(bytes));
  });

  it('hand a file down itself, so that nothing in between can die', async () => {
    const file = place('log');
    const fd = openSync(file, 'w');
    await recorded([], ['sh', '-c', 'readlink /proc/self/fd/1'], { stdio: ['ignore', fd, 'pipe'] });
    closeSync(fd);
    expect(readFileSync(file, 'utf8')).toBe(`${file}\n`);
  });

  it('can be opened by name inside the command', async () => {
    const { stdout, stderr, code } = await recorded(
      [],
      ['sh', '-c', 'echo one > /dev/stdout; echo two > /dev/stderr; echo three >> /dev/fd/1'],
    );
    expect({ stdout: String(stdout), stderr, code }).toEqual({
      stdout: 'one\nthree\n',
      stderr: 'two\n',
      code: 0,
    });
  });

  it('tell the command that its reader is gone', async () => {
    const folder = place();
    const line = `${shell(...shortFlags(folder), '--', 'yes')} | head -n 2`;
    expect(await runLine(line)).toBe('y\ny\n');
    // The pipeline ends with `head`; the recorder notices at the next write.
    await until(() => readRun(folder).endedAt !== null);
    expect(readRun(folder).exit).toMatchObject({ signal: 'SIGPIPE' });
  });

  it('are the very same with --no-watch, and another pair without', async () => {
    const look = ['sh', '-c', 'readlink /proc/self/fd/1; readlink /proc/$PPID/fd/1'];
    const ends = async (...flags: string[]) =>
      String((await recorded(flags, look)).stdout)
        .trim()
        .split('\n');
    const [inside, outside] = await ends('--no-watch');
    expect(inside).toBe(outside);
    const [ours, theirs] = await ends();
    expect(ours).not.toBe(theirs);
  });

  needs('python3')('do not turn non-blocking with --no-watch', async () => {
    const code = 'import sys; sys.stdout.write("x" * 1_000_000)';
    const line = `${shell(...shortFlags(place()), '--no-watch', '--', python(), '-c', code)} | { sleep 1; wc -c; }`;
    expect(Number(await runLine(line))).toBe(1_000_000);
  });

  needs('python3')('may be closed by the command', async () => {
    const code = 'import os, time; os.close(1); os.close(2); time.sleep(0.3); os._exit(6)';
    const { code: exit, run } = await recorded([], [python(), '-c', code]);
    expect(exit).toBe(6);
    expect(run.exit?.code).toBe(6);
  });

  it('need not be there at all', async () => {
    const folder = place();
    const line = `${shell(...shortFlags(folder), '--', 'sh', '-c', 'exit 7')} <&- >&- 2>&-; echo $?`;
    expect((await runLine(line)).trim()).toBe('7');
    expect(readRun(folder).exit?.code).toBe(7);
  });

  it('held by a daemon do not keep the recording from ending', async () => {
    const code = 'sleep 100 & echo $!';
    const { stdout, run } = await recorded([], ['sh', '-c', code]);
    const daemon = Number(String(stdout));
    try {
      expect(run.exit?.code).toBe(0);
      expect(isAlive(daemon)).toBe(true);
      // It went back to where it came from: no group of ours is left behind.
      expect(readFileSync(`/proc/${daemon}/cgroup`, 'utf8')).not.toContain('highwater-');
    } finally {
      process.kill(daemon, 'SIGKILL');
    }
  });

  it('show no more than what the command wrote, when quiet', async () => {
    const { stdout, stderr, folder } = await recorded([], ['sh', '-c', 'echo only this']);
    expect(String(stdout)).toBe('only this\n');
    expect(stderr).toBe('');
    expect(statSync(folder).isDirectory()).toBe(true);
  });
});
