import { existsSync, mkdirSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CgroupSampler, cgroupSource } from '../../src/sources/cgroup/index.ts';
import { groupLimit, locateGroup, oomKills } from '../../src/sources/cgroup/location.ts';
import { makeOwnGroup } from '../../src/sources/cgroup/own-group.ts';
import { FakeMachine, Shelf } from '../support/fake-machine.ts';

const V1_NO_LIMIT = '9223372036854771712\n';

describe('where a process’s control group is', () => {
  it('version 1', () => {
    const machine = new FakeMachine();
    machine.write('proc/self/cgroup', '5:cpu,cpuacct:/a\n4:memory:/user/x\n1:name=systemd:/b\n');
    machine.write('cgroup/memory/user/x/memory.usage_in_bytes', '5\n');
    expect(locateGroup(machine)).toEqual({
      version: 1,
      folder: `${machine.cgroup}/memory/user/x`,
    });
  });

  it('version 2, at the root of a container and of another process', () => {
    const machine = new FakeMachine();
    machine.write('proc/self/cgroup', '0::/\n');
    machine.write('cgroup/memory.current', '5\n');
    expect(locateGroup(machine)).toEqual({ version: 2, folder: machine.cgroup });
    machine.write('proc/77/cgroup', '0::/user.slice/app: with colon.scope\n');
    machine.write('cgroup/user.slice/app: with colon.scope/memory.current', '5\n');
    expect(locateGroup(machine, 77)?.folder).toBe(
      `${machine.cgroup}/user.slice/app: with colon.scope`,
    );
  });

  it('both at once: the one that accounts for memory', () => {
    const machine = new FakeMachine();
    machine.write('proc/self/cgroup', '4:memory:/job\n0::/unified-job\n');
    machine.write('cgroup/memory/job/memory.usage_in_bytes', '5\n');
    mkdirSync(`${machine.cgroup}/unified/unified-job`, { recursive: true });
    expect(locateGroup(machine)).toMatchObject({ version: 1 });
    machine.write('proc/self/cgroup', '1:name=systemd:/x\n0::/unified-job\n');
    machine.write('cgroup/unified/unified-job/memory.current', '5\n');
    expect(locateGroup(machine)).toEqual({
      version: 2,
      folder: `${machine.cgroup}/unified/unified-job`,
    });
  });

  it('the mount’s root where the path is the host’s, as in a container', () => {
    const machine = new FakeMachine();
    machine.write('proc/self/cgroup', '4:memory:/docker/0123abcd\n');
    machine.write('cgroup/memory/memory.usage_in_bytes', '5\n');
    expect(locateGroup(machine)).toEqual({ version: 1, folder: `${machine.cgroup}/memory` });
  });

  it('nowhere: without groups, or without memory accounting', () => {
    const machine = new FakeMachine();
    expect(locateGroup(machine)).toBeNull();
    machine.write('proc/self/cgroup', '5:cpu:/a\n0::/b\n');
    expect(locateGroup(machine)).toBeNull();
    expect(cgroupSource.probe(machine)).toMatchObject({ ok: false });
    expect(makeOwnGroup(machine, '1-x')).toEqual({
      reason: 'no control group with memory accounting',
    });
  });
});

describe('what a group says', () => {
  it('the smallest limit of it and of those above, none as null', () => {
    const machine = new FakeMachine();
    const location = { version: 1 as const, folder: `${machine.cgroup}/memory/a/b` };
    machine.write('cgroup/memory/a/b/memory.limit_in_bytes', V1_NO_LIMIT);
    machine.write('cgroup/memory/memory.limit_in_bytes', V1_NO_LIMIT);
    expect(groupLimit(machine, location)).toBeNull();
    machine.write('cgroup/memory/a/memory.limit_in_bytes', '4096\n');
    expect(groupLimit(machine, location)).toBe(4096);
    machine.write('cgroup/c/memory.max', 'max\n');
    expect(groupLimit(machine, { version: 2, folder: `${machine.cgroup}/c` })).toBeNull();
  });

  it('the limit of a container, whose group is where groups are mounted', () => {
    const machine = new FakeMachine();
    machine.write('cgroup/memory.max', '8589934592\n');
    expect(groupLimit(machine, { version: 2, folder: machine.cgroup })).toBe(8 * 1024 ** 3);
  });

  it('its kills, or that it does not count them', () => {
    const machine = new FakeMachine();
    const folder = `${machine.cgroup}/g`;
    machine.write('cgroup/g/memory.events', 'low 0\noom 4\noom_kill 3\n');
    machine.write('cgroup/g/memory.oom_control', 'oom_kill_disable 0\nunder_oom 0\n');
    expect(oomKills({ version: 2, folder })).toBe(3);
    expect(oomKills({ version: 1, folder })).toBeNull();
  });

  it('samples of version 1: what is held is without the page cache, but with shared memory', () => {
    const machine = new FakeMachine();
    const write = (name: string, text: string) => machine.write(`cgroup/g/memory.${name}`, text);
    write('usage_in_bytes', '1000\n');
    write('max_usage_in_bytes', '1500\n');
    write(
      'stat',
      'cache 1\nshmem 1\nrss 7\ntotal_rss 400\ntotal_cache 300\ntotal_shmem 100\ntotal_swap 50\n',
    );
    write('oom_control', 'oom_kill_disable 0\nunder_oom 0\noom_kill 2\n');
    const shelf = new Shelf();
    const sampler = new CgroupSampler(shelf, { version: 1, folder: `${machine.cgroup}/g` });
    onTestFinished(() => sampler.close());
    sampler.sample({ time: 1, full: true });
    expect(sampler.now).toEqual({ current: 1000, held: 800 });
    expect(shelf.rows('cgroup')).toEqual([
      {
        ...{ time: 1, current: 1000, peak: 1500, swap: 50, file: 300, oom_kills: 2 },
        anon: 400,
        shmem: 100,
      },
    ]);
  });

  it('samples of version 2 without a peak file (before Linux 5.19)', () => {
    const machine = new FakeMachine();
    machine.write('cgroup/g/memory.current', '1000\n');
    machine.write('cgroup/g/memory.stat', 'anon 500\nfile 400\nshmem 30\n');
    const shelf = new Shelf();
    const sampler = new CgroupSampler(shelf, { version: 2, folder: `${machine.cgroup}/g` });
    onTestFinished(() => sampler.close());
    sampler.sample({ time: 1, full: true });
    expect(sampler.now.held).toBe(630);
    expect(shelf.rows('cgroup')[0]).toMatchObject({ file: 400, peak: Number.NaN });
  });
});

describe('a group of our own', () => {
  it('is made inside ours, and clears away what killed recorders left', () => {
    const machine = new FakeMachine();
    machine.write('proc/self/cgroup', '4:memory:/job\n');
    machine.write('cgroup/memory/job/memory.usage_in_bytes', '5\n');
    machine.add({ pid: 300 });
    const inside = `${machine.cgroup}/memory/job`;
    for (const name of ['highwater-299-dead', 'highwater-300-living', 'somebody-299-else']) {
      mkdirSync(`${inside}/${name}`);
    }
    const own = makeOwnGroup(machine, '301-new');
    expect(own).toMatchObject({ version: 1, folder: `${inside}/highwater-301-new` });
    expect(existsSync(`${inside}/highwater-299-dead`)).toBe(false);
    expect(existsSync(`${inside}/highwater-300-living`)).toBe(true);
    expect(existsSync(`${inside}/somebody-299-else`)).toBe(true);
    if ('remove' in own) own.remove();
    expect(existsSync(`${inside}/highwater-301-new`)).toBe(false);
  });
});
