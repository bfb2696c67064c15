import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { folderFiles } from '../../src/model/disk/files.ts';
import { openRecording } from '../../src/model/disk/reader.ts';
import { needs } from '../support/programs.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'marks-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const python = needs('python3');

interface Options {
  readonly flags?: readonly string[];
  /** Where stdout goes: a pipe, or a file of this name. */
  readonly toFile?: string;
  readonly args?: readonly string[];
}

function record(script: string, { flags = [], toFile, args = [] }: Options = {}) {
  const file = join(folder, 'train.py');
  writeFileSync(file, script);
  const out = join(folder, 'run.hw');
  const env = { ...process.env };
  delete env.PYTHONUNBUFFERED;
  const fd = toFile ? openSync(join(folder, toFile), 'a') : null;
  const cli = [resolve('dist/cli.js'), 'record', '-q', '--before', '0', '--after', '0', '-o', out];
  const done = spawnSync(process.execPath, [...cli, ...flags, '--', 'python3', ...args, file], {
    env,
    cwd: folder,
    maxBuffer: 1 << 28,
    stdio: ['ignore', fd ?? 'pipe', 'pipe'],
  });
  if (fd !== null) closeSync(fd);
  const recording = openRecording(folderFiles(out));
  const table = recording.table('marks');
  const marks = Array.from({ length: table.rows }, (_, row) => ({
    kind: recording.text(table.u32('kind')[row]!),
    name: recording.text(table.u32('name')[row]!),
    seconds: table.f64('time')[row]! / 1e9,
    from: ['line', 'arrival', 'agent'][table.u8('time_from')[row]!],
    iteration: table.f64('iteration')[row]!,
    epoch: table.f64('epoch')[row]!,
    value: table.f64('value')[row]!,
  }));
  const iterations = marks.filter((mark) => mark.kind === 'iteration');
  return { ...done, marks, iterations, run: recording.run };
}

const numbers = (marks: readonly { iteration: number }[]) => marks.map((mark) => mark.iteration);
const range = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

/** Twelve steps, 30 ms apart. */
const STEPS = `
import time
for i in range(1, 13):
    time.sleep(0.03)
    print(f"step {i}/12 loss: {1 / i:.3f}", flush=FLUSH)
`;

describe('lines that the workload prints', () => {
  python('become marks with their number and loss, timed by arrival', () => {
    const { iterations, status, stdout } = record(STEPS.replace('FLUSH', 'True'));
    expect(status).toBe(0);
    // On a busy machine two lines may come at once, of which only the second counts.
    expect(numbers(iterations)).toEqual(range(12).filter((n) => numbers(iterations).includes(n)));
    expect(iterations.length).toBeGreaterThanOrEqual(6);
    expect(iterations.at(-1)).toMatchObject({ from: 'arrival', iteration: 12, value: 0.083 });
    expect(
      iterations.every((mark, i) => i === 0 || mark.seconds > iterations[i - 1]!.seconds),
    ).toBe(true);
    expect(stdout.toString().split('\n')).toHaveLength(13);
  });

  python('are seen in the file that output goes to', () => {
    const { iterations } = record(STEPS.replace('FLUSH', 'True'), { toFile: 'train.log' });
    expect(numbers(iterations).at(-1)).toBe(12);
    expect(iterations.length).toBeGreaterThanOrEqual(2);
    expect(readFileSync(join(folder, 'train.log'), 'utf8')).toContain('step 12/12');
  });

  python(
    'that a buffer held back are left out but for the last: when they were printed, nobody knows',
    () => {
      for (const toFile of [undefined, 'train.log']) {
        const { iterations } = record(STEPS.replace('FLUSH', 'False'), { toFile });
        expect(numbers(iterations)).toEqual([12]);
        rmSync(join(folder, 'run.hw'), { recursive: true });
      }
    },
  );

  python('of a bar are timed when it was painted, not when it was painted over', () => {
    const script = `
import sys, time
for i in range(4):
    sys.stderr.write(f"\\r {i}%|#   | {i}/100 [00:10<00:12,  4.5it/s]")
    sys.stderr.flush()
    time.sleep(0.4)
sys.stderr.write("\\n")
`;
    const { iterations, marks } = record(script);
    expect(numbers(iterations)).toEqual([0, 1, 2, 3]);
    const end = marks.find((mark) => mark.kind === 'end')!;
    expect(end.seconds - iterations.at(-1)!.seconds).toBeGreaterThan(0.35);
  });

  python('too many to mark each are thinned, and the recording says so', () => {
    const script = `
import sys
for i in range(1, 30_001):
    sys.stdout.write(f"step {i} loss: 0.5\\n")
    sys.stdout.flush()
`;
    const { iterations, run } = record(script, { flags: ['--stop-after', '1000000'] });
    expect(numbers(iterations).at(-1)).toBe(30_000);
    expect(iterations.length).toBeLessThan(10_000);
    const steps = iterations.map((mark, i) => mark.seconds - (iterations[i - 1]?.seconds ?? -1));
    expect(steps.every((step) => step >= 0)).toBe(true);
    expect(run.warnings.some((text) => /all are counted/.test(text))).toBe(true);
  });

  python('keep the time that they state, however late they come', () => {
    const script = `
import datetime, time
for i in range(0, 50, 10):
    now = datetime.datetime.now()
    print(f"I{now:%m%d %H:%M:%S.%f} 123 solver.cpp:228] Iteration {i}, loss = 0.5")
    time.sleep(0.1)
`;
    const { iterations } = record(script);
    expect(numbers(iterations)).toEqual([0, 10, 20, 30, 40]);
    expect(iterations.every((mark) => mark.from === 'line')).toBe(true);
    for (let i = 1; i < iterations.length; i++) {
      const step = iterations[i]!.seconds - iterations[i - 1]!.seconds;
      expect(step).toBeGreaterThan(0.095);
    }
  });

  python('of another zone are timed by arrival', () => {
    const script = `
import datetime, time
for i in range(3):
    then = datetime.datetime.now() - datetime.timedelta(hours=6)
    print(f"I{then:%m%d %H:%M:%S.%f} 123 solver.cpp:228] Iteration {i}, loss = 0.5", flush=True)
    time.sleep(0.05)
`;
    const { iterations } = record(script);
    expect(iterations.map((mark) => mark.from)).toEqual(['arrival', 'arrival', 'arrival']);
  });

  python('in a log of its own are found with --log, even if it is made later', () => {
    const script = `
import time
time.sleep(0.2)
with open("own.log", "w", buffering=1) as log:
    for i in range(1, 6):
        log.write(f"Iteration {i}, loss = 1\\n")
        time.sleep(0.12)
`;
    const { iterations } = record(script, { flags: ['--log', join(folder, 'own.log')] });
    expect(numbers(iterations).at(-1)).toBe(5);
    expect(iterations.length).toBeGreaterThanOrEqual(2);
  });

  python('match a pattern of the user', () => {
    const script = 'for i in range(3): print(f"## frame <{i}> took {i * 1.5}", flush=True)';
    const pattern = '^## frame <(?<iteration>\\d+)> took (?<value>[\\d.]+)';
    const { iterations } = record(script, { flags: ['--mark', pattern], args: ['-u'] });
    expect(numbers(iterations).at(-1)).toBe(2);
    expect(iterations.at(-1)!.value).toBe(3);
  });

  python('end the run after enough iterations', () => {
    const endless = `
import time
i = 0
while True:
    i += 1
    print(f"step {i}", flush=True)
    time.sleep(0.02)
`;
    const { iterations, run, status } = record(endless, { flags: ['--stop-after', '8'] });
    expect(status).toBe(143);
    expect(run.exit?.endedBy).toMatch(/^--stop-after 8: \d+ iterations are done$/);
    expect(numbers(iterations).at(-1)).toBeGreaterThanOrEqual(8);
    expect(numbers(iterations).at(-1)).toBeLessThan(200);
  });

  python('about memory that ran out are explained', () => {
    const script = `
import sys
sys.stderr.write("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.69 GiB of which 1.20 GiB is free.\\n")
sys.exit(1)
`;
    const { marks, status } = record(script);
    expect(status).toBe(1);
    const oom = marks.find((mark) => mark.kind === 'oom')!;
    expect(oom.name).toMatch(/2\.00 GiB.*1\.20 GiB/);
    expect(oom.name.split('\n').length).toBeGreaterThan(1);
  });
});

describe('output that is no log', () => {
  python('passes through to the byte, and makes no marks', () => {
    const script = `
import sys, random
random.seed(7)
sys.stdout.buffer.write(random.randbytes(3_000_000))
`;
    const expected = spawnSync('python3', ['-c', script], { maxBuffer: 1 << 28 }).stdout;
    const { stdout, iterations } = record(script);
    expect(stdout.equals(expected)).toBe(true);
    expect(iterations).toEqual([]);
  });

  python('of many lines loses none, and few marks are enough for it', () => {
    const script = `
import sys
for i in range(1, 200_001):
    sys.stdout.write(f"step {i}/200000 loss: 0.5\\n")
`;
    const { stdout, iterations } = record(script);
    expect(stdout.toString().trimEnd().split('\n')).toHaveLength(200_000);
    expect(numbers(iterations).at(-1)).toBe(200_000);
    expect(iterations.length).toBeLessThan(20_000);
  });
});

describe('bad flags', () => {
  python('are told before anything runs', () => {
    const cli = (flags: string[]) =>
      spawnSync(process.execPath, [resolve('dist/cli.js'), 'record', ...flags, '--', 'true'], {
        cwd: folder,
        encoding: 'utf8',
      });
    for (const flags of [
      ['--mark', '('],
      ['--mark', 'no groups'],
      ['--stop-after', '0'],
    ]) {
      const { status, stderr } = cli(flags);
      expect(status).toBe(125);
      expect(stderr.trim().split('\n')).toHaveLength(1);
    }
  });
});
