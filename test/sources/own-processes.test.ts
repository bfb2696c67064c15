import { describe, expect, it, onTestFinished } from 'vitest';
import { KiB } from '../../src/base/bytes.ts';
import { CgroupSampler } from '../../src/sources/cgroup/index.ts';
import { OwnWork } from '../../src/sources/own-work.ts';
import { ProcessTree } from '../../src/sources/process-tree/index.ts';
import { FakeMachine, Shelf, statusLines } from '../support/fake-machine.ts';

const PROGRAM = 100;
const FORK = 101;

function watch(machine: FakeMachine) {
  const shelf = new Shelf();
  const events: string[] = [];
  const ownWork = new OwnWork();
  const tree = new ProcessTree(machine, shelf, {
    marker: 'HIGHWATER_RUN=me',
    lean: false,
    resetPeaks: false,
    ownWork,
    onBirth: (pid) => events.push(`born ${pid}`),
    onOwnBirth: (pid) => events.push(`ours born ${pid}`),
    onOwnDeath: (pid) => events.push(`ours died ${pid}`),
  });
  onTestFinished(() => tree.close());
  let time = 0;
  const tick = () => {
    time += 1e7;
    tree.sample({ time, full: true });
    return shelf.rows('process').filter((row) => row.time === time);
  };
  const fork = (forked: boolean) => {
    const status = statusLines(90);
    machine.add({ pid: FORK, ppid: PROGRAM, comm: 'highwater-self', forked, status });
    machine.newestPid(FORK);
  };
  return { shelf, events, ownWork, tree, tick, fork, now: () => time };
}

const resize = (machine: FakeMachine, kib: number) =>
  machine.write(`proc/${PROGRAM}/status`, ['Name:\tx', ...statusLines(kib), ''].join('\n'));

/** A zombie has no memory any more. */
const end = (machine: FakeMachine) =>
  machine.write(`proc/${FORK}/status`, 'Name:\tx\nState:\tZ (zombie)\n');

function program(machine = new FakeMachine()) {
  machine.add({ pid: PROGRAM, status: statusLines(100) });
  const watched = watch(machine);
  watched.tree.addRoot(PROGRAM, 0, false);
  watched.tick();
  return { machine, ...watched };
}

describe('a process of ours among the workload’s', () => {
  it('has a table of its own', () => {
    const { tick, fork, tree, shelf, events, machine, ownWork } = program();
    fork(true);
    tick();
    expect(tick().map(({ pid }) => pid)).toEqual([PROGRAM]);
    expect(tree.now).toMatchObject({ processes: 1, rss: 100 * KiB });
    expect(ownWork.busy).toBe(true);
    expect(shelf.rows('own_memory')).toMatchObject([{ pid: FORK, inside: 0, rss: 90 * KiB }]);
    end(machine);
    tick();
    expect(ownWork.busy).toBe(false);
    expect(events).toEqual([`born ${PROGRAM}`, `ours born ${FORK}`, `ours died ${FORK}`]);
    expect(shelf.rows('processes').map(({ pid }) => pid)).not.toContain(FORK);
  });

  it('is not a program that happens to have that name', () => {
    const { tick, fork } = program();
    fork(false);
    expect(tick().map(({ pid }) => pid)).toEqual([PROGRAM, FORK]);
  });

  it('halves the program’s proportional size, which is not believed meanwhile', () => {
    const { tick, fork, tree, shelf, machine, now } = program();
    const reading = (pid: number, pss: number) => ({ pid, pss, rss: 100, private: pss / 2 });
    tree.takePss([reading(PROGRAM, 60 * KiB)], now());
    fork(true);
    tree.takePss([reading(PROGRAM, 30 * KiB), reading(FORK, 30 * KiB)], now());
    expect(tick()[0]).toMatchObject({ pss: 60 * KiB });
    expect(shelf.rows('own_memory').at(-1)).toMatchObject({ private: 15 * KiB });
    end(machine);
    tick();
    tree.takePss([reading(PROGRAM, 70 * KiB)], now());
    expect(tick()[0]).toMatchObject({ pss: 70 * KiB, pss_estimated: 0 });
  });

  it('may be about to be forked', () => {
    const { tick, tree, now } = program();
    tree.takePss([{ pid: PROGRAM, pss: 60 * KiB, rss: 100 * KiB, private: 0 }], now());
    tree.setOwnWork({ pid: PROGRAM, where: 'beside', begins: true }, now());
    tree.takePss([{ pid: PROGRAM, pss: 30 * KiB, rss: 100 * KiB, private: 0 }], now());
    expect(tick()[0]).toMatchObject({ pss: 60 * KiB });
    tree.setOwnWork({ pid: PROGRAM, where: 'beside', begins: false }, now());
    tree.takePss([{ pid: PROGRAM, pss: 55 * KiB, rss: 100 * KiB, private: 0 }], now());
    expect(tick()[0]).toMatchObject({ pss: 55 * KiB });
  });
});

describe('our work inside a process', () => {
  it('changes nothing of its proportional size either, however much it shares', () => {
    const { tick, tree, machine, now } = program();
    tree.takePss([{ pid: PROGRAM, pss: 60 * KiB, rss: 100 * KiB, private: 0 }], now());
    const pss = (kib: number) => {
      resize(machine, kib);
      return Number(tick()[0]!.pss) / KiB;
    };
    expect(pss(100)).toBe(60);
    tree.setOwnWork({ pid: PROGRAM, where: 'inside', begins: true }, now());
    expect([80, 300].map(pss)).toEqual([60, 60]);
    tree.setOwnWork({ pid: PROGRAM, where: 'inside', begins: false, left: 190 * KiB }, now());
    // 110 KiB are the program's.
    expect(pss(300)).toBe(70);
    tree.takePss([{ pid: PROGRAM, pss: 250 * KiB, rss: 300 * KiB, private: 0 }], now());
    expect(pss(300)).toBe(60);
  });

  it('is what it gained while it stood still; garbage that went by it was its own', () => {
    const { tick, tree, machine, shelf, now, ownWork } = program();
    const sizes = (kib: readonly number[]) =>
      kib.map((size) => {
        resize(machine, size);
        return Number(tick()[0]!.rss) / KiB;
      });
    tree.setOwnWork({ pid: PROGRAM, where: 'inside', begins: true }, now());
    expect(sizes([80, 300, 600])).toEqual([100, 100, 100]);
    resize(machine, 500);
    tree.setOwnWork({ pid: PROGRAM, where: 'inside', begins: false }, now());
    // What stays of it is taken off; garbage that went counts until as much is there again; what the program gains is the program's.
    expect(sizes([500, 510, 505, 530])).toEqual([100, 100, 95, 110]);
    expect(tick()[0]).toMatchObject({ hwm: Number.NaN, anon: 110 * KiB });
    expect(ownWork.insideBytes).toBe(420 * KiB);
    expect(shelf.rows('own_memory').at(-1)).toMatchObject({ inside: 1, rss: 420 * KiB });
    // The next one finds room in what the last one left.
    tree.setOwnWork({ pid: PROGRAM, where: 'inside', begins: true }, now());
    expect(sizes([510, 560])).toEqual([110, 110]);
    tree.setOwnWork({ pid: PROGRAM, where: 'inside', begins: false }, now());
    expect(sizes([560])).toEqual([110]);
    // Where the process says what stays, that is it: its own heap may have grown meanwhile, or ours of before be given back.
    tree.setOwnWork({ pid: PROGRAM, where: 'inside', begins: true }, now());
    resize(machine, 700);
    tree.setOwnWork({ pid: PROGRAM, where: 'inside', begins: false, left: 100 * KiB }, now());
    expect(sizes([700])).toEqual([130]);
    tree.setOwnWork({ pid: PROGRAM, where: 'inside', begins: true }, now());
    tree.setOwnWork({ pid: PROGRAM, where: 'inside', begins: false, left: -200 * KiB }, now());
    expect(sizes([500])).toEqual([130]);
    // It takes all of it along.
    expect(sizes([3])).toEqual([0]);
  });
});

describe('a control group with ours in it', () => {
  it('has no figures meanwhile, and no peak that may be ours', () => {
    const machine = new FakeMachine();
    const write = (current: number, peak: number) => {
      machine.write('cgroup/g/memory.current', `${current}\n`);
      machine.write('cgroup/g/memory.peak', `${peak}\n`);
    };
    write(10, 20);
    const shelf = new Shelf();
    const work = new OwnWork();
    const group = { version: 2, folder: `${machine.cgroup}/g` } as const;
    const sampler = new CgroupSampler(shelf, group, work);
    onTestFinished(() => sampler.close());
    let time = 0;
    const sampled = (current: number, peak: number) => {
      write(current, peak);
      sampler.sample({ time: ++time, full: true });
      const row = shelf.rows('cgroup').at(-1)!;
      return [row.current, row.peak];
    };
    expect(sampled(11, 20)).toEqual([11, 20]);
    work.processes = 1;
    expect(sampled(40, 40)).toEqual([Number.NaN, Number.NaN]);
    work.processes = 0;
    expect(sampled(12, 40)).toEqual([12, Number.NaN]);
    expect(sampled(50, 50)).toEqual([50, 50]);
    work.insideBytes = 5;
    expect(sampled(56, 60)).toEqual([51, Number.NaN]);
  });
});
