import { describe, expect, it } from 'vitest';
import { report } from '../../src/analyses/report.ts';
import { makeRecording } from '../../src/model/recording.ts';
import { Table } from '../../src/model/table.ts';
import { needs, python } from '../support/programs.ts';
import {
  highwater,
  open,
  place,
  readRun,
  recorded,
  shortFlags,
  start,
  until,
} from '../support/recorder.ts';

describe.concurrent('a command that behaves badly', () => {
  it('and is killed: the recording says so, and by whom not', async () => {
    const folder = place();
    const { finished } = start([...shortFlags(folder), '--', 'sleep', '60']);
    await until(() => {
      try {
        return readRun(folder).rootPid !== null && open(folder).table('process').rows > 10;
      } catch {
        return false;
      }
    });
    process.kill(readRun(folder).rootPid!, 'SIGKILL');
    expect((await finished).code).toBe(137);
    const { stdout } = await highwater(['report', folder]);
    const [answer] = String(stdout).split('\n');
    expect(answer).toContain('was killed by SIGKILL');
    expect(answer).toContain("not by the kernel's out-of-memory killer");
  });

  needs('python3')('and forks 300 short children in a second', async () => {
    const code = `
import os, time
living = 0
for i in range(300):
    if os.fork() == 0:
        time.sleep(0.05)
        os._exit(0)
    time.sleep(0.003)
for _ in range(300): os.wait()`;
    const { code: exit, folder, stderr } = await recorded([], [python(), '-c', code]);
    expect(exit).toBe(0);
    expect(stderr).toBe('');
    const recording = open(folder);
    expect(recording.damage).toEqual([]);
    const processes = recording.table('processes');
    const seen = new Set(processes.u32('pid'));
    // Each lives for several samples; on a busy machine some may still be missed.
    expect(seen.size).toBeGreaterThan(200);
    const ended = [...processes.f64('last_seen')].filter((time) => !Number.isNaN(time));
    expect(ended.length).toBeGreaterThan(seen.size - 20);
    expect((await highwater(['report', folder])).code).toBe(0);
  });

  it('and changes its folder, its umask and its limits harms only itself', async () => {
    const code = 'cd /; umask 777; ulimit -n 5; ulimit -f 0; sleep 0.8; exit 3';
    const { code: exit, folder, run } = await recorded([], ['sh', '-c', code]);
    expect(exit).toBe(3);
    expect(run.endedAt).not.toBeNull();
    expect(open(folder).damage).toEqual([]);
  });
});

describe('a wall clock that jumps', () => {
  it('moves no sample: times count on a clock of their own', async () => {
    const { folder } = await recorded([], ['sleep', '1.2']);
    const recording = open(folder);
    const clock = recording.table('clock');
    expect(clock.rows).toBeGreaterThan(1);
    // An hour back in the middle, as a reader sees it.
    const wall = clock.f64('wall').map((ns, row) => (row > 0 ? ns - 3600e9 : ns));
    const columns = clock.spec.columns.map((c) => (c.name === 'wall' ? wall : clock.column(c)));
    const jumped = makeRecording(recording.run, recording.tables, (name) =>
      name === 'clock'
        ? new Table(clock.spec, [{ rows: clock.rows, columns }])
        : recording.table(name),
    );
    expect(report(jumped).timing).toEqual(report(recording).timing);
    expect(report(jumped).peaks).toEqual(report(recording).peaks);
  });
});
