import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished } from 'vitest';
import { ProcessTree } from '../../src/sources/process-tree/index.ts';
import { readIntake } from '../../src/sources/process-tree/intake.ts';
import { THIS_MACHINE } from '../../src/sources/source.ts';
import { Shelf } from '../support/fake-machine.ts';
import { needs, python } from '../support/programs.ts';
import { cleanEnv, sleep } from '../support/recorder.ts';

const MARK = `HIGHWATER_RUN=test-${process.pid}`;

/** Watches a real Python program; its lines are what it prints. */
function watch(code: string) {
  const child = spawn(python(), ['-u', '-c', code], {
    env: cleanEnv({ HIGHWATER_RUN: MARK.split('=')[1] }),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => lines.push(line));
  const shelf = new Shelf();
  const tree = new ProcessTree(THIS_MACHINE, shelf, {
    marker: MARK,
    lean: false,
    resetPeaks: false,
  });
  onTestFinished(() => {
    tree.close();
    child.kill('SIGKILL');
  });
  if (!tree.addRoot(child.pid!, 0, false)) throw new Error('the program did not start');
  let time = 0;
  const tick = () => tree.sample({ time: ++time * 1e7, full: true });
  /** Samples until something holds; the test's timeout ends what never does. */
  const sampleUntil = async (condition: () => boolean) => {
    do {
      tick();
      await sleep(5);
    } while (!condition());
  };
  return { child: child as ChildProcess, lines, shelf, tree, tick, sampleUntil };
}

const python3 = needs('python3');

describe('a real tree', () => {
  python3('of 20 children is seen whole, and shrinks one by one without gaps', async () => {
    const { child, tree, sampleUntil, shelf } = watch(`
import os, sys
pids = []
for _ in range(20):
    pid = os.fork()
    if pid == 0:
        sys.stdin.read(0)
        import time
        time.sleep(60)
    pids.append(pid)
print(*pids)
for pid in pids:
    sys.stdin.readline()
    os.kill(pid, 9)
    os.waitpid(pid, 0)
sys.stdin.readline()
`);
    await sampleUntil(() => tree.now.processes === 21);
    const roles = () => new Set(shelf.rows('processes').map((row) => row.role));
    await sampleUntil(() => roles().has('worker 20'));
    for (let left = 20; left > 0; left--) {
      child.stdin!.write('next\n');
      await sampleUntil(() => tree.now.processes <= left);
      // All but the one that went are still there, in the very sample that missed it.
      expect(tree.now.processes).toBe(left);
    }
    const workers = Array.from({ length: 20 }, (_, i) => `worker ${i + 1}`);
    // '' is the role of those that may still exec.
    expect([...roles()].sort()).toEqual(['', 'main', ...workers].sort());
  });

  python3('keeps a daemon that forked twice and changed its session', async () => {
    const { tree, lines, sampleUntil, shelf } = watch(`
import os, time, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() != 0: os._exit(0)
    print(os.getpid())
    time.sleep(60)
os.wait()
time.sleep(60)
`);
    onTestFinished(() => void (lines[0] && process.kill(Number(lines[0]), 'SIGKILL')));
    await sampleUntil(() => lines.length > 0);
    const daemon = Number(lines[0]);
    await sampleUntil(() => shelf.rows('process').some((row) => row.pid === daemon));
    await sampleUntil(() => tree.now.processes === 2);
  });

  python3('tells what a process read, and what it asked for before it touched it', async () => {
    const { child, lines, shelf, tree } = watch(`
import mmap, sys
kept = bytearray(16 << 20)
print('ready')
sys.stdin.readline()
with open(sys.executable, 'rb') as file: read = len(file.read(3 << 20))
asked = mmap.mmap(-1, 64 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
print(read)
sys.stdin.readline()
`);
    let second = 0;
    const look = () => {
      tree.sample({ time: ++second * 2e9, full: true });
      return shelf
        .rows('intake')
        .filter((row) => row.pid === child.pid)
        .at(-1)!;
    };
    const printed = async (count: number) => {
      while (lines.length < count) await sleep(5);
    };
    await printed(1);
    const before = look();
    child.stdin!.write('go\n');
    await printed(2);
    const after = look();
    const read = Number(lines[1]);
    expect(read).toBeGreaterThan(0);
    expect(Number(after.read) - Number(before.read)).toBeGreaterThanOrEqual(read);
    expect(Number(after.read) - Number(before.read)).toBeLessThan(read + 1e6);
    expect(Number(after.asked) - Number(before.asked)).toBeGreaterThanOrEqual(64 * 2 ** 20);
    expect(Number(after.asked) - Number(before.asked)).toBeLessThan(72 * 2 ** 20);
    expect(Number(after.busy)).toBeGreaterThan(Number(before.busy));
  });

  python3('tells nothing of what a process asks for that has ended', async () => {
    const { lines } = watch(`
import os, sys
pid = os.fork()
if pid == 0:
    sys.stdin.readline()
print(pid)
sys.stdin.readline()
`);
    while (lines.length < 1) await sleep(5);
    const pid = Number(lines[0]);
    expect(readIntake('/proc', pid, 4096)?.asked).toBeGreaterThan(0);
    // Nobody waits for it: what is left of it is there, without memory.
    process.kill(pid, 'SIGKILL');
    while (!/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) await sleep(5);
    expect(readIntake('/proc', pid, 4096)).toBeNull();
  });

  python3('counts a thread as busy that waits for a processor, beside the main one', async () => {
    const { child, lines, shelf, tree } = watch(`
import os, sys, threading
kept = bytearray(16 << 20)
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
def compute():
    while True: pass
# One program of ours and three of others on one processor.
rivals = []
for _ in range(3):
    pid = os.fork()
    if pid == 0: compute()
    rivals.append(pid)
threading.Thread(target=compute, daemon=True).start()
print(*rivals)
sys.stdin.readline()
`);
    while (lines.length < 1) await sleep(5);
    onTestFinished(() => {
      for (const pid of lines[0]!.split(' ')) process.kill(Number(pid), 'SIGKILL');
    });
    let second = 0;
    const busy = () => {
      tree.sample({ time: ++second * 2e9, full: true });
      const rows = shelf.rows('intake').filter((row) => row.pid === child.pid);
      return Number(rows.at(-1)!.busy);
    };
    busy();
    await sleep(400); // the first look at which its threads are seen to work
    const before = [busy(), process.hrtime.bigint()] as const;
    await sleep(1500);
    const [after, now] = [busy(), process.hrtime.bigint()];
    // What it got of the processor is a quarter.
    expect((after - before[0]) / Number(now - before[1])).toBeGreaterThan(0.8);
  });

  python3('takes the name of what a process became by exec', async () => {
    const { child, tree, sampleUntil, shelf } = watch(`
import os, sys
sys.stdin.readline()
os.execvp('sleep', ['sleep', '60'])
`);
    await sampleUntil(() => tree.now.processes === 1);
    child.stdin!.write('go\n');
    await sampleUntil(() => {
      tree.refreshNames(0);
      return shelf.rows('processes').some((row) => row.name === 'sleep');
    });
    const rows = shelf.rows('processes');
    expect(rows.at(-1)).toMatchObject({ pid: child.pid, argv: 'sleep 60', role: 'main' });
    expect(new Set(rows.map((row) => row.start_time)).size).toBe(1);
  });

  for (const method of ['fork', 'spawn']) {
    python3(`gives the workers of each epoch the roles of the last (${method})`, async () => {
      const { child, lines, sampleUntil, shelf } = watch(`
import multiprocessing as mp, sys, time
if __name__ == '__main__':
    mp.set_start_method('${method}')
    for epoch in range(2):
        with mp.Pool(3) as pool:
            print('epoch', *sorted(p.pid for p in pool._pool))
            sys.stdin.readline()
        pool.join()
    print('over')
    sys.stdin.readline()
`);
      const seen: string[][] = [];
      for (const epoch of [1, 2]) {
        await sampleUntil(() => lines.length === epoch);
        const pids = lines[epoch - 1]!.split(' ').slice(1).map(Number);
        expect(pids).toHaveLength(3);
        const roles = () =>
          pids.map((pid) => shelf.rows('processes').findLast((row) => row.pid === pid)?.role);
        await sampleUntil(() => roles().every((role) => role !== undefined && role !== ''));
        seen.push(roles().map(String).sort());
        child.stdin!.write('next\n');
      }
      await sampleUntil(() => lines.includes('over'));
      expect(seen[0]).toEqual(seen[1]);
      expect(seen[0]).toEqual(['worker 1', 'worker 2', 'worker 3']);
    });
  }
});
