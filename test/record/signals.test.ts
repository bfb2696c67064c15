import { describe, expect, it } from 'vitest';
import { needs, python } from '../support/programs.ts';
import { isAlive, place, readRun, shortFlags, start, until } from '../support/recorder.ts';

const python3 = needs('python3');

/** Starts a Python program under the recorder and waits for its first line. */
async function startedProgram(code: string, flags: string[] = []) {
  const folder = place();
  const argv = [...shortFlags(folder), ...flags, '--', python(), '-u', '-c', code];
  const { child, finished } = start(argv);
  let seen = '';
  child.stdout!.on('data', (chunk: Buffer) => {
    seen += chunk;
  });
  await until(() => seen.includes('\n'));
  return { folder, child, finished };
}

describe.concurrent('signals to the recorder', () => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGQUIT'] as const) {
    python3(`${signal} reaches the command, which decides`, async () => {
      const { folder, child, finished } = await startedProgram(`
import signal, sys, time
def caught(number, _):
    print('caught', signal.Signals(number).name)
    sys.exit(7)
signal.signal(signal.${signal}, caught)
print('ready')
time.sleep(60)`);
      child.kill(signal);
      const { code, stdout } = await finished;
      expect(String(stdout)).toBe(`ready\ncaught ${signal}\n`);
      expect(code).toBe(7);
      expect(readRun(folder)).toMatchObject({ exit: { code: 7, signal: null, endedBy: null } });
      expect(readRun(folder).endedAt).not.toBeNull();
    });
  }

  python3('reach it again and again, if it does not end', async () => {
    const { child, finished } = await startedProgram(`
import os, signal, sys, time
count = 0
def caught(*_):
    global count
    count += 1
    os.write(1, b'%d\\n' % count)
    if count == 3: sys.exit(0)
signal.signal(signal.SIGUSR1, caught)
print('ready')
while True: time.sleep(1)`);
    child.stdout!.on('data', (chunk: Buffer) => {
      if (/[12]/.test(String(chunk))) child.kill('SIGUSR1');
    });
    child.kill('SIGUSR1');
    const { stdout, code } = await finished;
    expect(String(stdout)).toBe('ready\n1\n2\n3\n');
    expect(code).toBe(0);
  });

  it('end the shelf after the command at once', async () => {
    const folder = place();
    const argv = ['record', '--before', '0', '--after', '600', '-q', '-o', folder];
    const { child, finished } = start([...argv, '--', 'sh', '-c', 'exit 4']);
    await until(() => exitOf(folder) === 4);
    child.kill('SIGTERM');
    expect((await finished).code).toBe(4);
    expect(readRun(folder).endedAt).not.toBeNull();
  });

  it('end a recorder whose command ended but whose output nobody reads', async () => {
    const folder = place();
    const argv = [...shortFlags(folder), '--', 'sh', '-c', 'head -c 300000 /dev/zero & exit 3'];
    const { child, finished } = start(argv);
    child.stdout!.pause();
    await until(() => exitOf(folder) === 3);
    child.kill('SIGTERM');
    const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
    await until(() => readRun(folder).endedAt !== null);
    child.stdout!.resume();
    expect(await ended).toBe(3);
    await finished;
  });
});

python3('a command killed by somebody else is told as that', async () => {
  const { folder, finished } = await startedProgram('import time; print("ready"); time.sleep(60)');
  const pid = readRun(folder).rootPid!;
  process.kill(pid, 'SIGKILL');
  expect((await finished).code).toBe(137);
  expect(isAlive(pid)).toBe(false);
  expect(readRun(folder).exit).toMatchObject({
    signal: 'SIGKILL',
    oomKilled: false,
    endedBy: null,
  });
});

function exitOf(folder: string): number | null | undefined {
  try {
    return readRun(folder).exit?.code;
  } catch {
    return undefined;
  }
}
