import { describe, expect, it, onTestFinished } from 'vitest';
import { KiB } from '../../src/base/bytes.ts';
import { HostSampler, hostSource } from '../../src/sources/host.ts';
import { THIS_MACHINE } from '../../src/sources/source.ts';
import { FakeMachine, Shelf } from '../support/fake-machine.ts';

function sampled(machine: FakeMachine, meminfo: string) {
  machine.write('proc/meminfo', meminfo);
  const shelf = new Shelf();
  const sampler = new HostSampler(machine, shelf);
  onTestFinished(() => sampler.close());
  sampler.sample({ time: 5, full: true });
  return { shelf, sampler };
}

describe('host', () => {
  it('keeps every field that the kernel has, known to us or not', () => {
    const { shelf } = sampled(
      new FakeMachine(),
      'MemTotal:       1000 kB\nNeverHeardOf:    7 kB\nActive(anon):   20 kB\nHugePages_Total:   3\n',
    );
    expect(shelf.rows('host')).toEqual([
      {
        time: 5,
        MemTotal: 1000 * KiB,
        NeverHeardOf: 7 * KiB,
        'Active(anon)': 20 * KiB,
        HugePages_Total: 3,
        used: Number.NaN,
        recorder_anon: 7 * KiB,
        stolen: Number.NaN,
      },
    ]);
  });

  it('reads what the hypervisor gave to others, every two seconds', () => {
    const machine = new FakeMachine();
    machine.write('proc/stat', 'cpu  7 1 2 3000 4 5 6 8 9 10\ncpu0 1 2\n');
    const { shelf, sampler } = sampled(machine, 'MemTotal: 10 kB\n');
    machine.write('proc/stat', 'cpu  7 1 2 3000 4 5 6 9 9 10\ncpu0 1 2\n');
    for (const time of [1e9, 2.1e9]) sampler.sample({ time, full: true });
    expect(shelf.rows('host').map((row) => row.stolen)).toEqual([8e7, Number.NaN, 9e7]);
  });

  it('does not confuse columns where a line holds no number or comes twice', () => {
    const { shelf } = sampled(
      new FakeMachine(),
      'header without figures\nOdd: none\nMemTotal: 10 kB\nMemTotal: 11 kB\nused: 5 kB\nMemFree: 4 kB\n',
    );
    expect(shelf.rows('host')[0]).toMatchObject({
      MemTotal: 10 * KiB,
      MemFree: 4 * KiB,
      used: Number.NaN,
    });
  });

  it('follows changes through the file it holds', () => {
    const machine = new FakeMachine();
    const { shelf, sampler } = sampled(machine, 'MemTotal: 10 kB\nMemFree: 4 kB\n');
    machine.write('proc/meminfo', 'MemTotal: 10 kB\nMemFree: 3 kB\n');
    sampler.sample({ time: 6, full: false });
    expect(shelf.rows('host').map((row) => row.MemFree)).toEqual([4 * KiB, 3 * KiB]);
  });

  it('reads lines that move, and figures that outgrow their place', () => {
    const machine = new FakeMachine();
    const { shelf, sampler } = sampled(machine, 'MemTotal:    99 kB\nMemFree: 4 kB\nPages: 7\n');
    let time = 5;
    for (const text of [
      'MemTotal:  1000 kB\nMemFree: 5 kB\nPages: 8\n', // the same length
      'MemTotal: 123456789012 kB\nMemFree: 6 kB\nPages: 9\n',
      'MemTotal: 1 kB\nMemFree: 678901234567 kB\nPages: 3\n', // lines trade bytes
    ]) {
      machine.write('proc/meminfo', text);
      sampler.sample({ time: ++time, full: true });
    }
    const column = (name: string) => shelf.rows('host').map((row) => row[name]);
    expect(column('MemTotal')).toEqual([99, 1000, 123_456_789_012, 1].map((n) => n * KiB));
    expect(column('MemFree')).toEqual([4, 5, 6, 678_901_234_567].map((n) => n * KiB));
    expect(column('Pages')).toEqual([7, 8, 9, 3]);
  });

  it('says what it can do: everything, less on an old kernel, nothing without the file', () => {
    expect(hostSource.probe(THIS_MACHINE)).toMatchObject({ ok: true });
    const machine = new FakeMachine();
    expect(hostSource.probe(machine)).toMatchObject({ ok: false });
    machine.write('proc/meminfo', 'MemTotal: 10 kB\nMemFree: 4 kB\n');
    expect(hostSource.probe(machine)).toMatchObject({
      ok: true,
      detail: expect.stringContaining('no MemAvailable'),
    });
  });
});
