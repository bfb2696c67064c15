import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Report } from '../../src/analyses/report.ts';
import { oomKills } from '../../src/sources/cgroup/location.ts';
import { judgeOom } from '../../src/sources/oom.ts';
import { endingFacts } from '../../src/views/report/ending.ts';
import { lackOfControlGroups } from '../support/control-groups.ts';
import { FakeMachine } from '../support/fake-machine.ts';
import { lack, needs, python, where } from '../support/programs.ts';
import {
  highwater,
  isAlive,
  open,
  place,
  readRun,
  recorded,
  shortFlags,
  sleep,
  start,
  until,
} from '../support/recorder.ts';

/** The first line, and the whole as data. */
async function reported(folder: string): Promise<{ answer: string; report: Report }> {
  const [text, json] = await Promise.all([
    highwater(['report', folder]),
    highwater(['report', folder, '--json']),
  ]);
  expect([text.code, json.code]).toEqual([0, 0]);
  return {
    answer: String(text.stdout).split('\n')[0]!,
    report: JSON.parse(String(json.stdout)) as Report,
  };
}

describe.concurrent('a command that', () => {
  needs('python3')('reads where nothing is (a real segmentation fault)', async () => {
    const code = 'import ctypes, time; time.sleep(0.2); ctypes.string_at(8)';
    const { code: exit, folder } = await recorded([], [python(), '-c', code]);
    expect(exit).toBe(139);
    const { answer, report } = await reported(folder);
    expect(answer).toContain('was killed by SIGSEGV');
    expect(report.ending.oomKilled).toBe(false);
  });

  it('ends before the first sample', async () => {
    for (const exit of [0, 5]) {
      const ran = await recorded(['--rate', '1'], ['sh', '-c', `exit ${exit}`]);
      expect([ran.code, ran.stderr]).toEqual([exit, '']);
      const { report } = await reported(ran.folder);
      expect(report.recording.exit.code).toBe(exit);
      expect(open(ran.folder).damage).toEqual([]);
    }
  });

  needs('python3')('forks a thousand short children', async () => {
    const code = `
import os
for batch in range(20):
    for _ in range(50):
        if os.fork() == 0: os._exit(0)
    for _ in range(50): os.wait()
print("done")`;
    const { code: exit, folder, stdout, stderr } = await recorded([], [python(), '-c', code]);
    expect([exit, String(stdout), stderr]).toEqual([0, 'done\n', '']);
    const recording = open(folder);
    expect(recording.damage).toEqual([]);
    const pids = new Set(recording.table('processes').u32('pid'));
    expect(pids.size).toBeGreaterThan(0);
    expect(pids.size).toBeLessThanOrEqual(1001);
    await reported(folder);
  });

  needs('python3')('goes into the background is seen there, and not waited for', async () => {
    const code = `
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in (0, 1, 2): os.close(fd)
        with open(sys.argv[1], "w") as told: told.write(str(os.getpid()))
        time.sleep(3600)
    os._exit(0)
os.wait()
while not os.path.exists(sys.argv[1]): time.sleep(0.01)
time.sleep(1)`;
    const told = place('pid');
    const { code: exit, folder } = await recorded([], [python(), '-c', code, told]);
    const daemon = Number(readFileSync(told, 'utf8'));
    try {
      expect([exit, isAlive(daemon)]).toEqual([0, true]);
      expect([...open(folder).table('processes').u32('pid')]).toContain(daemon);
      await reported(folder);
    } finally {
      process.kill(daemon, 'SIGKILL');
    }
  });
});

describe('a workload that outgrows its control group', () => {
  /** Sets a limit on the group that the recorder made, and goes beyond it. */
  const SCRIPT = `
group=$(sed -n 's/^[0-9]*:\\(memory\\)\\?:\\(.*highwater-.*\\)$/\\2/p' /proc/self/cgroup | head -1)
for file in /sys/fs/cgroup/memory$group/memory.limit_in_bytes /sys/fs/cgroup$group/memory.max; do
  [ -n "$group" ] && [ -w $file ] && echo 67108864 > $file && exec "$0" -c "b = bytearray(b'x') * (300 << 20)"
done
echo cannot be limited`;

  const limited = where(lack('python3') ?? lackOfControlGroups());
  limited('is said to have been killed for it, with the evidence', async () => {
    const ran = await recorded([], ['sh', '-c', SCRIPT, python()]);
    expect(String(ran.stdout)).toBe('');
    expect(ran.code).toBe(137);
    const { answer, report } = await reported(ran.folder);
    expect(answer).toContain("the kernel's out-of-memory killer");
    expect(report.ending.oomKilled).toBe(true);
    // What that rests on stands below, beside how it ended.
    expect(new Map(endingFacts(report)).get('out-of-memory kill')).toContain(
      'control group counts 1 out-of-memory kill',
    );
  });

  it('is told by the events file', () => {
    const machine = new FakeMachine();
    const folder = join(machine.cgroup, 'g');
    const counts = (kills: number) => {
      machine.write('cgroup/g/memory.events', `low 0\noom ${kills}\noom_kill ${kills}\n`);
      return { ownGroup: oomKills({ version: 2, folder }), machine: 5 };
    };
    const [before, after] = [counts(0), counts(2)];
    expect(judgeOom(before, after, new Set([7]), () => null)).toEqual({
      oomKilled: true,
      evidence: "the workload's control group counts 2 out-of-memory kill(s)",
    });
  });
});

describe('a recorder that is stopped and goes on', () => {
  it('loses what it slept through, says so, and keeps the rest', async () => {
    const folder = place();
    const { child, finished } = start([...shortFlags(folder), '--', 'sh', '-c', 'sleep 3; exit 4']);
    await until(() => existsSync(join(folder, 'host.arrow')) && readRun(folder).rootPid !== null);
    await sleep(400);
    child.kill('SIGSTOP');
    await until(() => /\) T /.test(readFileSync(`/proc/${child.pid}/stat`, 'latin1')));
    await sleep(1200);
    child.kill('SIGCONT');
    expect((await finished).code).toBe(4);
    const recording = open(folder);
    expect(recording.damage).toEqual([]);
    const times = recording.table('host').f64('time');
    const gaps = [...times].slice(1).map((time, i) => (time - times[i]!) / 1e9);
    expect(Math.max(...gaps)).toBeGreaterThan(1);
    expect((times.at(-1)! - times[0]!) / 1e9).toBeGreaterThan(2.5);
    const { report } = await reported(folder);
    expect(report.recording.exit.code).toBe(4);
    expect(report.warnings.join('\n')).toMatch(/gap|no sample|not sampled|missed/i);
  });
});
