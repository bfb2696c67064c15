import { execFile, execFileSync } from 'node:child_process';
import { constants, mkdirSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { GiB, KiB, MiB } from '../../src/base/bytes.ts';
import { PssReader, pssSource } from '../../src/sources/pss.ts';
import { type PssReading, THIS_MACHINE } from '../../src/sources/source.ts';
import { FakeMachine } from '../support/fake-machine.ts';
import { needs, python } from '../support/programs.ts';
import { open, recorded, sleep, until } from '../support/recorder.ts';

function reader(machine = new FakeMachine()) {
  const readings: PssReading[] = [];
  const pss = new PssReader(machine, (more) => readings.push(...more));
  onTestFinished(() => pss.stop());
  const show = (pid: number, kb: number) =>
    machine.write(
      `proc/${pid}/smaps_rollup`,
      `0-1 ---p [rollup]\nRss: ${kb * 2} kB\nPss: ${kb} kB\n`,
    );
  return { machine, readings, pss, show };
}

describe('while a process of ours shares the pages of a member', () => {
  it('nothing is read but that process, and all again when it has ended', async () => {
    const { machine, readings, pss, show } = reader();
    show(10, 100);
    pss.add(10);
    await until(() => readings.length > 0);
    pss.hold();
    machine.write(
      'proc/11/smaps_rollup',
      'Rss: 9 kB\nPss: 5 kB\nPrivate_Clean: 1 kB\nPrivate_Dirty: 3 kB\n',
    );
    pss.addOwn(11);
    readings.length = 0;
    await until(() => readings.length > 0);
    expect(new Set(readings.map(({ pid }) => pid))).toEqual(new Set([11]));
    expect(readings[0]).toMatchObject({ private: 4 * KiB });
    pss.release();
    pss.removeOwn(11);
    readings.length = 0;
    await until(() => readings.length > 0);
    expect(readings[0]).toMatchObject({ pid: 10 });
  });
});

describe('reading proportional sizes', () => {
  it('reads every member, and those that come later', async () => {
    const { readings, pss, show } = reader();
    show(10, 100);
    show(11, 50);
    pss.add(10);
    pss.add(11);
    await until(() => readings.length >= 2);
    expect(readings.slice(0, 2)).toEqual([
      { pid: 10, pss: 100 * KiB, rss: 200 * KiB, private: 0 },
      { pid: 11, pss: 50 * KiB, rss: 100 * KiB, private: 0 },
    ]);
    show(12, 5);
    pss.add(12);
    await until(() => readings.some((reading) => reading.pid === 12));
  });

  it('goes on when members vanish, and stops asking for those that left', async () => {
    const { machine, readings, pss, show } = reader();
    show(10, 100);
    pss.add(9);
    pss.add(10);
    await until(() => readings.length > 0);
    pss.remove(10);
    rmSync(join(machine.proc, '10'), { recursive: true });
    show(11, 100);
    pss.add(11);
    await until(() => readings.some((reading) => reading.pid === 11));
    const before = readings.filter((reading) => reading.pid === 10).length;
    const rounds = readings.length;
    await until(() => readings.length > rounds + 1);
    expect(readings.filter((reading) => reading.pid === 10)).toHaveLength(before);
    expect(pss.denied).toBe(0);
  });

  needs('mkfifo')('measures rarely when measuring is dear', async () => {
    const machine = new FakeMachine();
    const { readings, pss } = reader(machine);
    const file = join(machine.proc, '10', 'smaps_rollup');
    mkdirSync(join(machine.proc, '10'));
    execFileSync('mkfifo', [file]);
    // 20 GiB that take a fifth of a second: at one two-hundredth of the time, none for forty more.
    const slow = `exec 3>"$0"; sleep 0.2; printf 'Rss: 20971520 kB\\nPss: 1 kB\\n' >&3`;
    execFile('sh', ['-c', slow, file]);
    pss.add(10);
    await until(() => readings.length === 1);
    for (let i = 0; i < 10; i++) {
      pss.add(10); // a birth asks for another reading soon, if the budget has room
      await sleep(100);
    }
    const openForReader = () => openSync(file, constants.O_WRONLY | constants.O_NONBLOCK);
    expect(openForReader).toThrow('ENXIO'); // nobody reads
    expect(readings).toEqual([{ pid: 10, pss: KiB, rss: 20 * GiB, private: 0 }]);
  });

  it('says whether the kernel can tell', () => {
    expect(pssSource.probe(THIS_MACHINE)).toEqual({ ok: true });
    expect(pssSource.probe(new FakeMachine())).toMatchObject({ ok: false });
  });
});

needs('python3', 'setsid')(
  'counts 100 MiB that five processes share once, not five times',
  async () => {
    const code = `
import os, time
data = bytearray(os.urandom(1 << 20)) * 100
for _ in range(4):
    if os.fork() == 0:
        time.sleep(60)
time.sleep(2.5)
os.killpg(0, 9)
`;
    const { folder } = await recorded([], ['setsid', '-w', python(), '-c', code]);
    const process = open(folder).table('process');
    const [times, rss, pss] = [process.f64('time'), process.f64('rss'), process.f64('pss')];
    const estimated = process.u8('pss_estimated');
    const totals = new Map<number, { rss: number; pss: number; n: number; measured: number }>();
    for (let row = 0; row < process.rows; row++) {
      const sum = totals.get(times[row]!) ?? { rss: 0, pss: 0, n: 0, measured: 0 };
      totals.set(times[row]!, sum);
      sum.rss += rss[row]!;
      sum.pss += pss[row] || 0;
      sum.n += 1;
      sum.measured += estimated[row] === 0 ? 1 : 0;
    }
    const whole = [...totals.values()].filter(({ n, rss }) => n >= 5 && rss > 500 * MiB);
    expect(whole.length).toBeGreaterThan(10);
    const last = whole.at(-1)!;
    expect(last.rss).toBeGreaterThan(500 * MiB);
    expect(last.pss).toBeGreaterThan(100 * MiB * 0.95);
    expect(last.pss).toBeLessThan(100 * MiB * 1.15 + 20 * MiB);
  },
);
