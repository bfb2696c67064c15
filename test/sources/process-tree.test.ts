import { execFileSync } from 'node:child_process';
import { endianness } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { KiB } from '../../src/base/bytes.ts';
import { SECOND_NS } from '../../src/base/time.ts';
import { pageSize } from '../../src/sources/page-size.ts';
import { readStat } from '../../src/sources/proc.ts';
import { ProcessTree } from '../../src/sources/process-tree/index.ts';
import { FakeMachine, Shelf, statusLines } from '../support/fake-machine.ts';
import { sleeper } from '../support/sleeper.ts';

/** A tree over a kernel of paper; `tick` takes one sample 10 ms after the last. */
function watch(machine: FakeMachine, options: { lean?: boolean } = {}) {
  const shelf = new Shelf();
  const deaths: number[] = [];
  const tree = new ProcessTree(machine, shelf, {
    marker: 'HIGHWATER_RUN=me',
    lean: options.lean ?? false,
    resetPeaks: false,
    onDeath: (pid) => deaths.push(pid),
  });
  onTestFinished(() => tree.close());
  let time = 0;
  const tick = (ns = 1e7, full = true) => {
    time += ns;
    tree.sample({ time, full });
    return shelf.rows('process').filter((row) => row.time === time);
  };
  const pids = (rows: ReturnType<typeof tick>) => rows.map((row) => row.pid);
  return { tree, shelf, deaths, tick, pids };
}

describe('finding processes', () => {
  it('takes children and grandchildren, and nobody else', () => {
    const machine = new FakeMachine();
    machine.add({ pid: 100, status: statusLines(10) });
    machine.add({ pid: 50, status: statusLines(10) });
    const { tree, tick, pids } = watch(machine);
    expect(tree.addRoot(100, 0, false)).toBe(true);
    expect(pids(tick())).toEqual([100]);
    machine.add({ pid: 101, ppid: 100, status: statusLines(20) });
    machine.add({ pid: 102, ppid: 101, status: statusLines(30) });
    machine.add({ pid: 103, ppid: 50, status: statusLines(40) });
    machine.newestPid(103);
    expect(pids(tick())).toEqual([100, 101, 102]);
    expect(tree.now).toMatchObject({ processes: 3, rss: 60 * KiB });
  });

  it('looks again for a pid that was handed out but not to be seen yet', () => {
    const machine = new FakeMachine();
    machine.add({ pid: 100, status: statusLines(10) });
    const { tree, tick, pids } = watch(machine);
    tree.addRoot(100, 0, false);
    tick();
    machine.newestPid(101);
    expect(pids(tick())).toEqual([100]);
    machine.add({ pid: 101, ppid: 100, status: statusLines(20) });
    expect(pids(tick())).toEqual([100, 101]);
  });

  it('lists everything after pids wrapped around and after a burst', () => {
    const machine = new FakeMachine();
    machine.add({ pid: 30_000, status: statusLines(10) });
    machine.newestPid(30_000);
    const { tree, tick, pids } = watch(machine);
    tree.addRoot(30_000, 0, false);
    tick();
    machine.add({ pid: 7, ppid: 30_000, status: statusLines(10) });
    machine.newestPid(7);
    expect(pids(tick())).toEqual([30_000, 7]);
    machine.add({ pid: 5000, ppid: 7, status: statusLines(10) });
    machine.newestPid(9000);
    expect(pids(tick())).toEqual([30_000, 7, 5000]);
  });

  it('knows an orphan by its environment, and a daemon by its session', () => {
    const machine = new FakeMachine();
    machine.add({ pid: 100, session: 100, status: statusLines(10) });
    const { tree, tick, pids } = watch(machine);
    tree.addRoot(100, 0, true);
    tick();
    const env = ['A=1', 'HIGHWATER_RUN=me', 'B=2'];
    machine.add({ pid: 101, ppid: 1, session: 101, env, status: statusLines(10) });
    machine.add({ pid: 102, ppid: 1, session: 100, status: statusLines(10) });
    const other = ['HIGHWATER_RUN=meme', 'X_HIGHWATER_RUN=me'];
    machine.add({ pid: 103, ppid: 1, session: 103, env: other, status: statusLines(10) });
    machine.newestPid(103);
    expect(pids(tick())).toEqual([100, 101, 102]);
  });

  it('knows an orphan by its environment after a burst and after pids wrapped around, too', () => {
    const machine = new FakeMachine();
    const env = ['HIGHWATER_RUN=me'];
    machine.add({ pid: 100, status: statusLines(10) });
    machine.newestPid(100);
    const { tree, tick, pids } = watch(machine);
    tree.addRoot(100, 0, false);
    tick();
    machine.add({ pid: 700, ppid: 1, env, status: statusLines(10) });
    machine.newestPid(900);
    expect(pids(tick())).toEqual([100, 700]);
    machine.add({ pid: 30, ppid: 1, env, status: statusLines(10) });
    machine.newestPid(35);
    expect(pids(tick())).toEqual([100, 700, 30]);
  });

  it('does not take threads for processes', () => {
    const machine = new FakeMachine();
    machine.add({ pid: 100, status: statusLines(10) });
    const { tree, tick, pids } = watch(machine);
    tree.addRoot(100, 0, false);
    tick();
    machine.add({ pid: 101, ppid: 100, exitSignal: -1, status: statusLines(10) });
    machine.newestPid(101);
    expect(pids(tick())).toEqual([100]);
  });

  it('reads a name with spaces, brackets and newlines in it', () => {
    const machine = new FakeMachine();
    for (const comm of ['a b', 'x) S 1 (y', '((', 'tmux: server']) {
      machine.add({ pid: 100, ppid: 42, session: 7, startTime: 99, comm });
      expect(readStat(machine.proc, 100)).toEqual({
        pid: 100,
        name: comm,
        state: 'S',
        ppid: 42,
        session: 7,
        startTime: 99,
        isThread: false,
        execed: true,
      });
    }
    expect(readStat(machine.proc, 4242)).toBeNull();
  });

  it('says no to a root that is not there', () => {
    const { tree, tick } = watch(new FakeMachine());
    expect(tree.addRoot(100, 0, false)).toBe(false);
    expect(tick()).toEqual([]);
  });
});

describe('losing processes', () => {
  it('keeps a sample whole when a process vanishes in the middle of it', async () => {
    const machine = new FakeMachine();
    const doomed = sleeper();
    const other = sleeper();
    machine.add({ pid: 100, status: statusLines(10) });
    machine.add({ pid: 101, ppid: 100, status: doomed.pid });
    machine.add({ pid: 102, ppid: 100, status: other.pid });
    const { tree, tick, pids, deaths } = watch(machine);
    tree.addRoot(100, 0, false);
    expect(pids(tick())).toEqual([100, 101, 102]);
    await doomed.end();
    expect(pids(tick())).toEqual([100, 102]);
    expect(deaths).toEqual([101]);
  });

  it('never joins two owners of one pid', async () => {
    const machine = new FakeMachine();
    const first = sleeper();
    const second = sleeper();
    machine.add({ pid: 100, status: statusLines(10) });
    machine.add({ pid: 101, ppid: 100, startTime: 5, argv: ['old'], status: first.pid });
    machine.newestPid(101);
    const { tree, tick, pids, shelf, deaths } = watch(machine);
    tree.addRoot(100, 0, false);
    tick();
    await first.end();
    // Reused at once, by another child of the same tree.
    machine.add({ pid: 101, ppid: 100, startTime: 6, argv: ['new'], status: second.pid });
    expect(pids(tick())).toEqual([100]);
    expect(deaths).toEqual([101]);
    machine.newestPid(100);
    expect(pids(tick())).toEqual([100, 101]);
    const owners = shelf.rows('processes').filter((row) => row.pid === 101);
    expect(owners.map((row) => [row.start_time, row.argv, row.last_seen])).toEqual([
      [5, 'old', Number.NaN],
      [5, 'old', 2e7],
      [6, 'new', Number.NaN],
    ]);
  });

  it('a pid reused by a stranger ends the series for good', async () => {
    const machine = new FakeMachine();
    const first = sleeper();
    machine.add({ pid: 100, status: statusLines(10) });
    machine.add({ pid: 101, ppid: 100, startTime: 5, status: first.pid });
    const { tree, tick, pids } = watch(machine);
    tree.addRoot(100, 0, false);
    tick();
    await first.end();
    machine.add({ pid: 101, ppid: 1, startTime: 6, status: statusLines(999) });
    machine.newestPid(101);
    expect(pids(tick())).toEqual([100]);
    expect(pids(tick())).toEqual([100]);
  });

  it('gives a zombie no rows and lets it go after a second, at any rate', () => {
    for (const [ns, ticks] of [
      [1e7, 101],
      [SECOND_NS, 2],
    ] as const) {
      const machine = new FakeMachine();
      machine.add({ pid: 100, status: statusLines(10) });
      machine.add({ pid: 101, ppid: 100, state: 'Z', status: ['State:\tZ (zombie)'] });
      const { tree, tick, pids, deaths } = watch(machine);
      tree.addRoot(100, 0, false);
      for (let i = 1; i < ticks; i++) expect(pids(tick(ns))).toEqual([100]);
      expect(deaths).toEqual([]);
      tick(ns);
      expect(deaths).toEqual([101]);
    }
  });
});

describe('what is read of a process', () => {
  it('reads a kernel without RssAnon lines as not measured, not as zero', () => {
    const machine = new FakeMachine();
    machine.add({ pid: 100, status: ['VmHWM:\t   900 kB', 'VmRSS:\t   800 kB'] });
    const { tree, tick } = watch(machine);
    tree.addRoot(100, 0, false);
    const nan = Number.NaN;
    expect(tick()[0]).toMatchObject({
      rss: 800 * KiB,
      hwm: 900 * KiB,
      anon: nan,
      file: nan,
      shmem: nan,
      swap: nan,
    });
    expect(tree.now.swap).toBe(0);
  });

  it('counts huge pages, which the kernel leaves out of the resident set', () => {
    const machine = new FakeMachine();
    machine.add({ pid: 100, status: statusLines(100, { HugetlbPages: 2048 }) });
    const { tree, tick } = watch(machine);
    tree.addRoot(100, 0, false);
    expect(tick()[0]).toMatchObject({ rss: 2148 * KiB, anon: 100 * KiB });
  });

  it('takes the pages of statm in the right unit, and the rest from status soon after', () => {
    const machine = new FakeMachine();
    machine.add({
      pid: 100,
      status: statusLines(400, { RssAnon: 280, RssFile: 120, HugetlbPages: 2048 }),
    });
    machine.write('proc/100/statm', '5000 100 30 1 0 40 0\n');
    const { tree, tick } = watch(machine);
    tree.addRoot(100, 0, false);
    const at400 = { rss: 2448 * KiB, anon: 280 * KiB, file: 120 * KiB, hwm: 400 * KiB };
    expect(tick()[0]).toMatchObject(at400);
    expect(tick()[0]).toMatchObject(at400);
    machine.write('proc/100/statm', '5000 200 30 1 0 40 0\n');
    machine.write('proc/100/status', `Name:\tx\n${statusLines(800, { VmHWM: 900 }).join('\n')}\n`);
    const at800 = { rss: 2848 * KiB, anon: 680 * KiB, file: 120 * KiB, hwm: 800 * KiB };
    expect(tick()[0]).toMatchObject(at800);
    machine.write('proc/100/statm', '5000 200 40 1 0 40 0\n');
    expect(tick(5e6)[0]).toMatchObject({ anon: 640 * KiB, file: Number.NaN, shmem: Number.NaN });
    // The pages stay, but the kernel's own peak is not known yet.
    expect(tick()[0]).toMatchObject({ hwm: 900 * KiB, rss: 800 * KiB, file: 0 });
  });

  it('is not led astray by a process that grows between the two files', () => {
    const machine = new FakeMachine();
    machine.add({ pid: 100, status: statusLines(400) });
    // As seen at the start of a program: ten pages, and a moment later ten times as many.
    machine.write('proc/100/statm', '5000 10 0 1 0 40 0\n');
    const { tree, tick } = watch(machine);
    tree.addRoot(100, 0, false);
    expect(tick()[0]).toMatchObject({ rss: 400 * KiB });
    machine.write('proc/100/statm', '5000 100 0 1 0 40 0\n');
    expect(tick()[0]).toMatchObject({ rss: 400 * KiB });
    machine.write('proc/100/statm', '5000 200 0 1 0 40 0\n');
    expect(tick(5e6)[0]).toMatchObject({ rss: 800 * KiB });
  });

  it('takes the size of a page from what the kernel tells every program', () => {
    const machine = new FakeMachine();
    const words = [33, 0x7f00, 6, 16_384, 0, 0].map((word) => {
      const bytes = Buffer.alloc(8);
      if (endianness() === 'LE') bytes.writeUInt32LE(word);
      else bytes.writeUInt32BE(word, 4);
      return bytes;
    });
    machine.write('proc/self/auxv', Buffer.concat(words).toString('latin1'));
    expect(pageSize(machine.proc)).toBe(16_384);
    expect(pageSize('/proc')).toBe(Number(execFileSync('getconf', ['PAGESIZE'])));
    expect(pageSize('/nowhere')).toBeNaN();
  });

  it('looks at status now and then though no page moved, for peaks between two samples', () => {
    const machine = new FakeMachine();
    machine.add({ pid: 100, status: statusLines(400) });
    machine.write('proc/100/statm', '5000 100 0 1 0 40 0\n');
    const { tree, tick } = watch(machine);
    tree.addRoot(100, 0, false);
    tick();
    machine.write('proc/100/status', `Name:\tx\n${statusLines(400, { VmHWM: 999 }).join('\n')}\n`);
    for (let i = 0; i < 19; i++) expect(tick()[0]).toMatchObject({ hwm: 400 * KiB });
    expect(tick()[0]).toMatchObject({ hwm: 999 * KiB });
  });

  it('sums what is swapped out anew at each sample, lean or full', () => {
    const machine = new FakeMachine();
    machine.add({ pid: 100, status: statusLines(400, { VmSwap: 50 }) });
    machine.write('proc/100/statm', '5000 100 0 1 0 40 0\n');
    const { tree, tick } = watch(machine, { lean: true });
    tree.addRoot(100, 0, false);
    for (const full of [true, false, false, true]) {
      tick(1e6, full);
      expect(tree.now.swap).toBe(50 * KiB);
    }
  });

  it('hides secrets of command lines before they are stored', () => {
    const machine = new FakeMachine();
    const argv = ['python', 'train.py', '--api-key', 'k3y', '--token=t0k', 'https://u:p4ss@host/'];
    machine.add({ pid: 100, argv, status: statusLines(10) });
    const { tree, shelf } = watch(machine);
    tree.addRoot(100, 0, false);
    const stored = String(shelf.rows('processes')[0]!.argv);
    expect(stored).toMatch(/^python train.py --api-key .*--token=/);
    for (const secret of ['k3y', 't0k', 'p4ss']) expect(stored).not.toContain(secret);
  });

  it('follows an exec: name and command line change, the process stays', () => {
    const machine = new FakeMachine();
    machine.add({ pid: 100, comm: 'sh', argv: ['sh', '-c', 'x'], status: statusLines(10) });
    const { tree, shelf, tick, pids } = watch(machine);
    tree.addRoot(100, 0, false);
    tick();
    machine.write('proc/100/comm', 'python\n');
    machine.write('proc/100/cmdline', 'python\0train.py\0');
    tree.refreshNames(1e9);
    tree.refreshNames(1e9);
    expect(pids(tick())).toEqual([100]);
    expect(shelf.rows('processes').map((row) => [row.name, row.argv, row.role])).toEqual([
      ['sh', `sh -c x`, 'main'],
      ['python', 'python train.py', 'main'],
    ]);
  });
});
