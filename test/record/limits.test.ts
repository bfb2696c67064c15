import { chmodSync, mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MiB } from '../../src/base/bytes.ts';
import { needs, python } from '../support/programs.ts';
import {
  highwater,
  isAlive,
  open,
  place,
  readRun,
  recorded,
  shortFlags,
} from '../support/recorder.ts';

const python3 = needs('python3');

describe.concurrent('--memory-limit', () => {
  python3('ends every member of a growing tree, also one that ignores SIGTERM', async () => {
    const code = `
import os, signal, time
for i in range(3):
    if os.fork() == 0:
        if i == 0: signal.signal(signal.SIGTERM, signal.SIG_IGN)
        break
print(os.getpid(), flush=True)
hoard = []
for _ in range(100):
    hoard.append(bytearray(5 << 20))
    time.sleep(0.05)
time.sleep(60)`;
    const ended = await recorded(['--memory-limit', '150MiB'], [python(), '-c', code]);
    const pids = String(ended.stdout).trim().split('\n').map(Number);
    expect(pids).toHaveLength(4);
    for (const pid of pids) expect(isAlive(pid)).toBe(false);
    expect(ended.code).toBe(143);
    expect(ended.run.exit?.endedBy).toMatch(/^--memory-limit 150 MiB exceeded: .* held$/);
    expect(ended.stderr).toMatch(/^highwater: --memory-limit 150 MiB exceeded.*\n$/);
    const marks = open(ended.folder).table('marks');
    const names = [...marks.u32('name')].map((id) => open(ended.folder).text(id));
    expect(names).toContain(ended.run.exit?.endedBy);
  });

  python3('is not reached by forks that share their memory', async () => {
    const code = `
import os, time
data = bytearray(os.urandom(1 << 20)) * 100
children = []
for _ in range(8):
    pid = os.fork()
    if pid == 0:
        time.sleep(1.5)
        os._exit(0)
    children.append(pid)
for pid in children: os.waitpid(pid, 0)`;
    const ended = await recorded(['--memory-limit', '300MiB'], [python(), '-c', code]);
    expect(ended.code).toBe(0);
    expect(ended.run.exit?.endedBy).toBeNull();
    const process = open(ended.folder).table('process');
    let most = 0;
    for (let row = 0; row < process.rows; ) {
      const time = process.f64('time')[row];
      let sum = 0;
      for (; process.f64('time')[row] === time; row++) sum += process.f64('rss')[row]!;
      most = Math.max(most, sum);
    }
    expect(most).toBeGreaterThan(600 * MiB);
  });

  it('is judged on proportional memory where no control group can be had', async () => {
    const home = place('home');
    mkdirSync(home);
    chmodSync(home, 0o777);
    const folder = `${home}/run.hw`;
    const grow = 'const hoard = []; setInterval(() => hoard.push(Buffer.alloc(5e6, 1)), 20)';
    const argv = [...shortFlags(folder), '--memory-limit', '200MiB', '--'];
    const ended = await highwater([...argv, process.execPath, '-e', grow], {
      cwd: home,
      ordinary: true,
    });
    expect(ended.code).toBe(143);
    expect(readRun(folder).exit?.endedBy).toContain('--memory-limit 200 MiB exceeded');
  });
});

describe.concurrent('limits', () => {
  it('that cannot be read are refused before anything runs', async () => {
    for (const flag of ['--memory-limit', '--swap-limit', '--max-disk']) {
      const { code, stderr } = await highwater(['record', flag, 'lots', '--', 'echo', 'ran']);
      expect(code).toBe(125);
      expect(stderr).toMatch(/^highwater: .*'lots' is not a size.*\n$/);
    }
  });

  it('that are far away change nothing', async () => {
    const flags = ['--memory-limit', '100 GiB', '--swap-limit', '64g', '--max-disk', '61.8MB'];
    const ended = await recorded(flags, ['sh', '-c', 'echo ran; exit 2']);
    expect(ended).toMatchObject({ code: 2, stderr: '' });
  });

  it('--duration ends the command, and says so', async () => {
    const ended = await recorded(['--duration', '0.5'], ['sleep', '60']);
    expect(ended.code).toBe(143);
    expect(ended.run.exit).toMatchObject({ signal: 'SIGTERM' });
    expect(ended.run.exit?.endedBy).toBe('--duration 0.50 s is over');
  });

  it('a very short --duration ends it too', async () => {
    const ended = await recorded(['--duration', '0.01'], ['sleep', '60']);
    expect(ended.code).toBe(143);
  });
});
