import { describe, expect, it, onTestFinished } from 'vitest';
import { ProcessTree } from '../../src/sources/process-tree/index.ts';
import { FakeMachine, type FakeProcess, Shelf, statusLines } from '../support/fake-machine.ts';
import { sleeper } from '../support/sleeper.ts';

const TRAIN = ['python', 'train.py'];
const STATUS = statusLines(10);
const ROOT_STATUS = statusLines(20);

/** A root that runs `python train.py`, and children that come and go at 100 Hz. */
function watch() {
  const machine = new FakeMachine();
  machine.add({ pid: 100, argv: TRAIN, status: ROOT_STATUS });
  const shelf = new Shelf();
  const tree = new ProcessTree(machine, shelf, {
    marker: 'HIGHWATER_RUN=me',
    lean: false,
    resetPeaks: false,
  });
  onTestFinished(() => tree.close());
  tree.addRoot(100, 0, false);
  let ticks = 0;
  const tick = (times = 1) => {
    for (let i = 0; i < times; i++) tree.sample({ time: ++ticks * 1e7, full: true });
  };
  tick();
  /** A fork of the root, as any child is at first. */
  const fork = (pid: number, more: Partial<FakeProcess> = {}) => {
    machine.add({ pid, ppid: 100, argv: TRAIN, forked: true, status: STATUS, ...more });
    machine.newestPid(pid);
  };
  const role = (pid: number) => shelf.rows('processes').findLast((row) => row.pid === pid)?.role;
  return { machine, tree, shelf, tick, fork, role };
}

describe('a fork', () => {
  it('is a worker once it was seen to stay one', () => {
    const { fork, tick, role } = watch();
    fork(101);
    tick();
    expect(role(101)).toBe('');
    tick(30);
    expect(role(101)).toBe('worker 1');
  });

  it('that goes on to exec takes no number from the workers beside it', () => {
    const { fork, tick, role, machine } = watch();
    fork(101);
    tick();
    for (const pid of [102, 103, 104]) fork(pid);
    tick();
    const tracker = ['python', '-c', 'from multiprocessing.resource_tracker import main'];
    machine.add({ pid: 101, ppid: 100, argv: tracker, status: STATUS });
    tick(30);
    expect(role(101)).toBe('resource tracker 1');
    expect([102, 103, 104].map(role)).toEqual(['worker 1', 'worker 2', 'worker 3']);
  });

  it('in the middle of its exec waits for its command line', () => {
    const { fork, tick, role, machine } = watch();
    fork(101, { forked: false, argv: [] });
    tick(2);
    expect(role(101)).toBe('');
    machine.add({ pid: 101, ppid: 100, comm: 'git', argv: ['git', 'log'], status: STATUS });
    tick(2);
    expect(role(101)).toBe('git 1');
  });

  it('is named by what it became, also when only a zombie is left to tell', () => {
    const { fork, tick, role, machine } = watch();
    fork(101);
    tick();
    machine.write('proc/101/status', 'State:\tZ (zombie)\n'); // the file that is held open
    machine.add({ pid: 101, ppid: 100, comm: 'git', argv: [], state: 'Z' });
    tick();
    expect(role(101)).toBe('git 1');
  });

  it('goes by the name that it gives itself', () => {
    const { fork, tick, role } = watch();
    fork(101, { comm: 'pt_data_worker' });
    tick(30);
    expect(role(101)).toBe('data loader 1');
  });
});

describe('a short life', () => {
  it('has a number of its own, and each epoch the same ones', async () => {
    const { fork, tick, role, machine } = watch();
    for (const epoch of [200, 300]) {
      const lives = [sleeper(), sleeper(), sleeper()];
      const pids = lives.map((_, i) => epoch + i);
      for (const [i, life] of lives.entries()) fork(pids[i]!, { status: life.pid });
      tick(3);
      for (const [i, life] of lives.entries()) {
        await life.end();
        machine.remove(pids[i]!);
        tick();
      }
      expect(pids.map(role)).toEqual(['worker 1', 'worker 2', 'worker 3']);
    }
  });

  it('leaves no number to those that were there before its end', async () => {
    const { fork, tick, role, machine } = watch();
    const first = sleeper();
    fork(101, { status: first.pid });
    tick(30);
    fork(102);
    tick(3);
    await first.end(); // while it is still open what 102 is
    machine.remove(101);
    tick(30);
    fork(103);
    tick(30);
    expect([101, 102, 103].map(role)).toEqual(['worker 1', 'worker 2', 'worker 1']);
  });

  it('that was seen once claims nothing', async () => {
    const { fork, tick, role, machine } = watch();
    const life = sleeper();
    fork(101, { status: life.pid });
    tick();
    await life.end();
    machine.remove(101);
    tick();
    expect(role(101)).toBe('child 1');
    fork(102);
    tick(30);
    expect(role(102)).toBe('worker 1');
  });

  it('inside its parent’s memory was no worker’s', () => {
    const { fork, tick, role, tree } = watch();
    fork(101, { status: ROOT_STATUS }); // as a program started by vfork is before its exec
    tick(3);
    tree.settleNames();
    expect(role(101)).toBe('child 1');
  });

  it('that was long before we looked is no riddle', () => {
    const { fork, tick, role, machine } = watch();
    machine.write('proc/uptime', '1000.00 2000.00\n');
    fork(101, { startTime: 99_900 });
    tick();
    expect(role(101)).toBe('worker 1');
  });

  it('is named before the recording ends', () => {
    const { fork, tick, role, tree } = watch();
    fork(101);
    tick(2);
    tree.settleNames();
    expect(role(101)).toBe('worker 1');
  });
});

describe('a later exec', () => {
  it('of the same kind keeps the number', () => {
    const { fork, tick, role, tree, machine, shelf } = watch();
    for (const pid of [101, 102]) fork(pid);
    tick(30);
    const spawned = ['python', '-c', 'from multiprocessing.spawn import spawn_main'];
    machine.write('proc/101/cmdline', 'other\0');
    machine.write('proc/101/comm', 'other\n');
    tree.refreshNames(1e9);
    expect(role(101)).toBe('other 1');
    machine.write('proc/102/cmdline', spawned.map((word) => `${word}\0`).join(''));
    tree.refreshNames(1e9);
    expect(role(102)).toBe('worker 2');
    expect(shelf.rows('processes').at(-1)!.argv).toContain('spawn_main');
  });

  it('of an old process is noticed by its name at once, by its command line alone later', () => {
    const { tick, tree, machine, shelf } = watch();
    const line = () => shelf.rows('processes').at(-1)!.argv;
    tick(600); // 6 s
    tree.refreshNames(6e9);
    machine.write('proc/100/cmdline', 'python\0eval.py\0');
    tree.refreshNames(7e9);
    expect(line()).toBe('python train.py');
    tree.refreshNames(17e9);
    expect(line()).toBe('python eval.py');
    machine.write('proc/100/comm', 'sleep\n');
    machine.write('proc/100/cmdline', 'sleep\0');
    machine.write('proc/100/status', `Name:\tsleep\n${STATUS.join('\n')}\n`);
    tick();
    tree.refreshNames(18e9);
    expect(line()).toBe('sleep');
  });
});
