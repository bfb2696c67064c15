import { closeSync, constants, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { judgeOom, kernelLogSince, machineOomKills } from '../../src/sources/oom.ts';
import { lackOfControlGroups } from '../support/control-groups.ts';
import { FakeMachine } from '../support/fake-machine.ts';
import { lack, python, where } from '../support/programs.ts';
import { recorded } from '../support/recorder.ts';

const counts = (ownGroup: number | null, machine: number | null) => ({ ownGroup, machine });
const unread = () => {
  throw new Error('the log is asked only when it matters');
};
const pids = new Set([10, 11]);

function canReadKernelLog(): boolean {
  try {
    closeSync(openSync('/dev/kmsg', constants.O_RDONLY | constants.O_NONBLOCK));
    return true;
  } catch {
    return false;
  }
}

describe('the verdict on an out-of-memory kill', () => {
  it('believes the count of the workload’s own group', () => {
    expect(judgeOom(counts(0, 5), counts(2, 7), pids, unread)).toEqual({
      oomKilled: true,
      evidence: "the workload's control group counts 2 out-of-memory kill(s)",
    });
  });

  it('is no when nothing was killed on the whole machine', () => {
    expect(judgeOom(counts(null, 5), counts(null, 5), pids, unread).oomKilled).toBe(false);
    expect(judgeOom(counts(3, 5), counts(3, 5), pids, unread).oomKilled).toBe(false);
  });

  it('finds the killed process in the kernel log', () => {
    const line = 'Memory cgroup out of memory: Killed process 11 (python) total-vm:1kB';
    const verdict = judgeOom(counts(null, 5), counts(null, 6), pids, () => ['noise', line]);
    expect(verdict).toEqual({ oomKilled: true, evidence: `kernel log: ${line}` });
  });

  it('is no when the log names somebody else only', () => {
    const log = () => ['Out of memory: Killed process 111 (other)', 'Killed process 1 (init)'];
    expect(judgeOom(counts(null, 5), counts(null, 6), pids, log)).toMatchObject({
      oomKilled: false,
      evidence: expect.stringContaining('none of them in this workload'),
    });
  });

  it('is unknown when something was killed and nobody says what', () => {
    expect(judgeOom(counts(null, 5), counts(null, 6), pids, () => null).oomKilled).toBeNull();
    expect(judgeOom(counts(null, null), counts(null, null), pids, unread).oomKilled).toBeNull();
  });

  it('is no when the workload’s own group counts none, though the log is closed to us', () => {
    expect(judgeOom(counts(0, 5), counts(0, 6), pids, () => null)).toMatchObject({
      oomKilled: false,
      evidence: expect.stringContaining('control group none'),
    });
  });

  it('reads the machine’s count, or that the kernel has none', () => {
    const machine = new FakeMachine();
    expect(machineOomKills(machine)).toBeNull();
    machine.write('proc/vmstat', 'oom_kill_disable 3\nnr_oom_kill 9\noom_kill 41\n');
    expect(machineOomKills(machine)).toBe(41);
    machine.write('proc/vmstat', 'nr_free_pages 9\n');
    expect(machineOomKills(machine)).toBeNull();
  });

  it('reads the kernel log from a moment on, and knows where it may not', () => {
    const log = kernelLogSince(0);
    expect(log !== null).toBe(canReadKernelLog());
    expect(log?.length).not.toBe(0);
    expect(kernelLogSince(Number.MAX_SAFE_INTEGER)).toEqual(log === null ? null : []);
  });
});

const GREEDY = `
import re
text = open('/proc/self/cgroup').read()
v1 = re.search(r':memory:(.*)', text)
group = '/sys/fs/cgroup/memory' + v1[1] if v1 else '/sys/fs/cgroup' + re.search(r'0::(.*)', text)[1]
files = ['memory.swappiness', 'memory.limit_in_bytes'] if v1 else ['memory.swap.max', 'memory.max']
for name, value in zip(files, ['0', str(64 << 20)]):
    try:
        open(group + '/' + name, 'w').write(value)
    except OSError:
        pass
`;

where(lack('python3') ?? lackOfControlGroups())(
  'a real out-of-memory kill is told, with its evidence',
  async () => {
    const greedy = `${GREEDY}\nhoard = [bytearray(1 << 20) for _ in range(500)]`;
    const killed = await recorded([], [python(), '-c', greedy]);
    expect(killed.code).toBe(137);
    expect(killed.run.exit).toMatchObject({
      signal: 'SIGKILL',
      oomKilled: true,
      oomEvidence: expect.stringContaining('control group counts 1 out-of-memory kill'),
    });

    const survivor = `${GREEDY}
import os
if os.fork() == 0:
    # The kernel would choose the parent now and then.
    open('/proc/self/oom_score_adj', 'w').write('1000')
    hoard = [bytearray(1 << 20) for _ in range(500)]
print(os.wait()[1])`;
    const survived = await recorded([], [python(), '-c', survivor]);
    expect(String(survived.stdout).trim()).toBe('9');
    expect(survived.run.exit).toMatchObject({ code: 0, signal: null, oomKilled: true });

    const plain = await recorded([], ['sh', '-c', 'kill -KILL $$']);
    expect(plain.run.exit).toMatchObject({ signal: 'SIGKILL', oomKilled: false });
  },
);
