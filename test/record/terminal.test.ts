import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { needs, python } from '../support/programs.ts';
import { onTerminal, recordOnTerminal, screenLines } from '../support/pty.ts';
import { CLI, isAlive, open, place, readRun, shortFlags, until } from '../support/recorder.ts';

const python3 = needs('python3');
const program = (code: string) => [python(), '-c', code];

describe.concurrent('on a terminal', () => {
  python3('the command sees one too, of the same size', async () => {
    const code = `
import os, sys
print([os.isatty(fd) for fd in (0, 1, 2)], tuple(os.get_terminal_size()))
print(os.getpgrp() == os.tcgetpgrp(0), open('/dev/tty').isatty())`;
    const seen = await recordOnTerminal(place(), [], program(code), [], { size: [33, 101] });
    expect(seen.code).toBe(0);
    expect(screenLines(seen.output)).toEqual(['[True, True, True] (101, 33)', 'True True']);
  });

  python3('the command hears of a new size', async () => {
    const code = `
import os, signal
def resized(*_):
    # Not print: the signal may come in the middle of the other one, which Python refuses.
    os.write(1, f'now {tuple(os.get_terminal_size())}\\n'.encode())
    raise SystemExit(9)
signal.signal(signal.SIGWINCH, resized)
print('ready', flush=True)
while True: signal.pause()`;
    const seen = await recordOnTerminal(place(), [], program(code), [
      { wait: 'ready' },
      { resize: [50, 132] },
      { wait: 'now \\(132, 50\\)' },
    ]);
    expect(seen).toMatchObject({ code: 9, stepsLeft: 0 });
  });

  python3(
    'Ctrl-C interrupts the command, finishes the recording, gives the terminal back',
    async () => {
      const folder = place();
      const code = `
import time
try:
    print('ready', flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    time.sleep(0.3)
    print('cleaned up')
    raise SystemExit(42)`;
      const seen = await recordOnTerminal(folder, [], program(code), [
        { cooked: true },
        { wait: 'ready' },
        { cooked: true },
        { send: '\x03' },
        { wait: 'cleaned up' },
      ]);
      expect(seen).toMatchObject({ code: 42, stepsLeft: 0, cooked: [true, false, true] });
      const run = readRun(folder);
      expect(run.endedAt).not.toBeNull();
      expect(run.exit).toMatchObject({ code: 42, signal: null });
    },
  );

  python3('Ctrl-C on a command that does not catch it ends it as without us', async () => {
    const folder = place();
    const seen = await recordOnTerminal(
      folder,
      [],
      program('import time; print("ready", flush=True); time.sleep(60)'),
      [{ wait: 'ready' }, { send: '\x03' }, { wait: 'KeyboardInterrupt' }],
    );
    expect(seen.code).toBe(130);
    expect(readRun(folder).exit).toMatchObject({ signal: 'SIGINT' });
    expect(seen.cooked).toEqual([true]);
  });

  python3('Ctrl-C before the command has started starts nothing', async () => {
    const folder = place();
    const file = place('never');
    const argv = [process.execPath, CLI, 'record', '--before', '30', '-o', folder];
    const seen = await onTerminal(
      [...argv, '--', 'touch', file],
      [{ wait: 'waiting' }, { send: '\x03' }],
    );
    expect(seen.code).toBe(130);
    expect(existsSync(file)).toBe(false);
    expect(readRun(folder).exit).toMatchObject({
      code: null,
      endedBy: 'SIGINT came before the command was started',
    });
  });

  python3('what is typed arrives in order, and a password is not shown', async () => {
    const code = `
import getpass, sys
name = input('name? ')
secret = getpass.getpass('secret? ')
print(name, len(secret))
print(sum(len(line) for line in sys.stdin))`;
    const long = Array.from({ length: 40 }, (_, i) => `line ${i} ${'x'.repeat(150)}\n`);
    const seen = await recordOnTerminal(place(), [], program(code), [
      { wait: 'name\\? ' },
      { send: 'ada\n' },
      { wait: 'secret\\? ' },
      { sleep: 0.2 },
      { send: 'hidden\n' },
      { wait: 'ada 6' },
      ...long.map((send) => ({ send })),
      { send: '\x04' },
      { wait: String(long.join('').length) },
    ]);
    expect(seen).toMatchObject({ code: 0, stepsLeft: 0 });
    expect(seen.output).not.toContain('hidden');
  });

  python3('output comes line by line, without PYTHONUNBUFFERED', async () => {
    const code = `
import time
print('first')
time.sleep(0.5)
input()
print('second')`;
    const seen = await recordOnTerminal(place(), [], program(code), [
      { wait: 'first\\r\\n' },
      { send: 'go\n' },
      { wait: 'second\\r\\n' },
    ]);
    expect(seen).toMatchObject({ code: 0, stepsLeft: 0 });
  });

  python3(
    'the live line shows while the command is quiet, and leaves its lines whole',
    async () => {
      const folder = place();
      const code = `
import time
time.sleep(1.2)
for i in range(5):
    print('line', i, 'of the command', flush=True)
    time.sleep(0.7 if i % 2 else 0.05)
print('no newline', end='', flush=True)
time.sleep(0.8)
print(' until now')`;
      const flags = ['record', '--before', '0', '--after', '0', '-o', folder];
      const seen = await onTerminal(
        [process.execPath, CLI, ...flags, '--', ...program(code)],
        [{ wait: 'highwater  [^\\r]*now [^\\r]*peak [^\\r]*Hz' }],
      );
      expect(seen).toMatchObject({ code: 0, stepsLeft: 0 });
      const lines = screenLines(seen.output);
      const summary = lines.findIndex((line) => line.startsWith('Peak '));
      expect(summary).toBeGreaterThan(0);
      expect(lines.slice(0, summary)).toEqual([
        ...[0, 1, 2, 3, 4].map((i) => `line ${i} of the command`),
        'no newline until now',
      ]);
    },
  );

  python3('--quiet shows nothing of ours', async () => {
    const code = 'import time; time.sleep(1); print("mine")';
    const seen = await recordOnTerminal(place(), [], program(code), []);
    expect(seen.output).toBe('mine\r\n');
  });

  python3('input from a file and output to a terminal: Ctrl-C still ends it, once', async () => {
    const folder = place();
    const file = place('input');
    writeFileSync(file, 'from the file\n');
    const code = `
import sys, time, os
try:
    print(sys.stdin.readline().strip(), os.isatty(1), flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    time.sleep(0.5)
    print('cleaned up')`;
    const argv = [process.execPath, CLI, ...shortFlags(folder), '--', ...program(code)];
    const line = `${argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')} < ${file}`;
    const seen = await onTerminal(
      ['sh', '-c', `exec ${line}`],
      [{ wait: 'from the file True' }, { send: '\x03' }, { wait: 'cleaned up' }],
    );
    expect(seen).toMatchObject({ code: 0, stepsLeft: 0, cooked: [true] });
  });

  python3('closing the window ends the command and the recording', async () => {
    const folder = place();
    const pidFile = place('pid');
    const code = `
import os, time
open(${JSON.stringify(pidFile)}, 'w').write(str(os.getpid()))
print('ready', flush=True)
time.sleep(100)`;
    const seen = await recordOnTerminal(folder, [], program(code), [
      { wait: 'ready' },
      { hangup: true },
    ]);
    expect(seen.code).toBe(-1); // SIGHUP, as without us
    const run = readRun(folder);
    expect(run.endedAt).not.toBeNull();
    expect(run.exit?.signal).toBe('SIGHUP');
    expect(isAlive(Number(readFileSync(pidFile, 'utf8')))).toBe(false);
  });

  python3('a failure inside the recorder leaves the terminal usable', async () => {
    const folder = place();
    const bug = place('bug.cjs');
    writeFileSync(
      bug,
      `if (require('worker_threads').isMainThread)
         process.once('SIGURG', () => { throw new Error('a bug') });`,
    );
    const argv = [process.execPath, '--require', bug, CLI, ...shortFlags(folder)];
    const seen = await onTerminal(
      [...argv, '--', ...program('import time; print("ready", flush=True); time.sleep(4)')],
      [{ wait: 'ready' }, { cooked: true }, { sleep: 0.6 }, { kill: 'SIGURG' }, { wait: 'a bug' }],
    );
    expect(seen).toMatchObject({ stepsLeft: 0, cooked: [false, true] });
    expect(seen.code).not.toBe(0);
    expect(readRun(folder).endedAt).toBeNull();
    expect(open(folder).table('host').rows).toBeGreaterThan(0);
  });

  python3('a killed recorder leaves the command running and the terminal usable', async () => {
    const folder = place();
    const file = join(folder, '..', `${folder.split('/').at(-1)}-done`);
    const code = `
import time
print('ready', flush=True)
for i in range(20):
    print('step', i, flush=True)
    time.sleep(0.1)
open(${JSON.stringify(file)}, 'w').write('done')`;
    const seen = await recordOnTerminal(folder, [], program(code), [
      { wait: 'ready' },
      { kill: 'SIGKILL' },
      { wait: 'step 19' },
    ]);
    expect(seen).toMatchObject({ code: -9, stepsLeft: 0, cooked: [true] });
    await until(() => {
      try {
        return readFileSync(file, 'utf8') === 'done';
      } catch {
        return false;
      }
    });
  });
});
