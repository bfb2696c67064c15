import { existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Recording } from '../../src/model/recording.ts';
import { lackOfControlGroups } from '../support/control-groups.ts';
import { where } from '../support/programs.ts';
import { random } from '../support/random.ts';
import {
  highwater,
  isAlive,
  open,
  place,
  readRun,
  shortFlags,
  sleep,
  start,
  until,
} from '../support/recorder.ts';

const KILLS = 24;
const AT_ONCE = 3;
/** A recording may miss this much of its end, and what the machine itself was late. */
const LOST_SECONDS = 1;

/** How long before `wallMs` the last sample was taken, by the recording's own clock. */
function lostSeconds(recording: Recording, startedMs: number, wallMs: number) {
  const clock = recording.table('clock');
  const [monotonic, wall] = [clock.f64('monotonic'), clock.f64('wall')];
  const times = recording.table('host').f64('time');
  // Killed in its first flush, it may have samples and no clock yet: times count from its start.
  const origin =
    clock.rows > 0 ? wall[0]! / 1e6 - monotonic[0]! / 1e6 : Date.parse(recording.run.startedAt);
  const last = times.length > 0 ? origin + times.at(-1)! / 1e6 : startedMs;
  // Flushes are due twice a second; what they came later is the machine's, not ours.
  let late = 0;
  for (let row = 1; row < clock.rows; row++) {
    late = Math.max(late, (monotonic[row]! - monotonic[row - 1]!) / 1e9 - 0.5);
  }
  return { lost: (wallMs - last) / 1000, late };
}

/** How late the machine lets even a process run that does nothing. */
function watchLag(): { readonly seconds: number } {
  const lag = { seconds: 0 };
  let last = performance.now();
  const timer = setInterval(() => {
    lag.seconds = Math.max(lag.seconds, (performance.now() - last - 20) / 1000);
    last = performance.now();
  }, 20);
  onTestFinished(() => clearInterval(timer));
  return lag;
}

/** Whether the command runs, and so samples are taken. */
function hasStarted(folder: string): boolean {
  return existsSync(join(folder, 'run.json')) && readRun(folder).rootPid !== null;
}

describe('kill -9 of the recorder', () => {
  it(`at ${KILLS} random moments leaves all but the last second`, async () => {
    const lag = watchLag();
    const next = random(20);
    const moments = Array.from({ length: KILLS }, () => 300 + next() * 2200);
    const kill = async (afterMs: number) => {
      const folder = place();
      const log = openSync(place('log'), 'w');
      const { child, finished } = start([...shortFlags(folder), '--', 'sleep', '60'], {
        stdio: ['ignore', log, log],
      });
      await until(() => hasStarted(folder));
      const startedMs = Date.now();
      await sleep(afterMs);
      const wallMs = Date.now();
      child.kill('SIGKILL');
      await finished;
      const recording = open(folder);
      const { rootPid, endedAt } = recording.run;
      if (rootPid !== null) process.kill(rootPid, 'SIGKILL');
      expect(endedAt).toBeNull();
      for (const name of recording.tables) recording.table(name);
      const { lost, late } = lostSeconds(recording, startedMs, wallMs);
      expect(lost).toBeLessThan(LOST_SECONDS + late + lag.seconds + 0.25);
      expect(lost).toBeGreaterThan(-1);
      const report = await highwater(['report', folder]);
      expect(report.code).toBe(0);
      expect(String(report.stdout)).toMatch(/^Incomplete: .* the recorder was killed/);
      const check = await highwater(['check', folder, '--peak', 'tree<=9GiB']);
      expect(check.code).toBe(4);
      return recording.table('host').rows;
    };
    const rows: number[] = [];
    const worker = async () => {
      for (let moment = moments.pop(); moment !== undefined; moment = moments.pop()) {
        rows.push(await kill(moment));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    expect(rows).toHaveLength(KILLS);
    expect(Math.max(...rows)).toBeGreaterThan(50);
  }, 240_000);

  it('lets a command go on to its end, whatever its output goes to', async () => {
    for (const output of ['file', 'pipe'] as const) {
      const folder = place();
      const done = place('done');
      const log = place('log');
      const steps = 'for i in 1 2 3 4 5 6 7 8 9 10; do echo step $i; sleep 0.1; done';
      const command = ['sh', '-c', `echo ready; ${steps}; echo fine > ${done}`];
      const fd = openSync(log, 'w');
      const { child, finished } = start([...shortFlags(folder), '--', ...command], {
        stdio: ['ignore', output === 'file' ? fd : 'pipe', 'inherit'],
      });
      await until(() => hasStarted(folder));
      child.kill('SIGKILL');
      const { signal, stdout } = await finished;
      expect(signal).toBe('SIGKILL');
      await until(() => existsSync(done) && readFileSync(done, 'utf8') === 'fine\n');
      const text = output === 'file' ? readFileSync(log, 'utf8') : String(stdout);
      expect(text).toMatch(/step 10\n$/);
    }
  });

  where(lackOfControlGroups())(
    'leaves no control group behind for longer than until the next recorder',
    async () => {
      const folder = place();
      const { child, finished } = start([...shortFlags(folder), '--', 'sleep', '60']);
      await until(() => hasStarted(folder));
      const pid = readRun(folder).rootPid!;
      // Its shell enters the group before it becomes the command.
      await until(() => groupOf(pid) !== null);
      const group = groupOf(pid)!;
      expect(existsSync(group)).toBe(true);
      child.kill('SIGKILL');
      process.kill(pid, 'SIGKILL');
      await finished;
      await until(() => !isAlive(pid));
      await highwater([...shortFlags(place()), '--', 'true']);
      await until(() => !existsSync(group));
    },
  );
});

/** The folder of a process's own memory group, null where it has none of ours. */
function groupOf(pid: number): string | null {
  const line = readFileSync(`/proc/${pid}/cgroup`, 'utf8')
    .split('\n')
    .find((text) => text.includes('/highwater-'));
  if (!line) return null;
  const [, controllers, path] = line.split(':');
  return controllers === '' ? `/sys/fs/cgroup${path}` : `/sys/fs/cgroup/memory${path}`;
}
