import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { heapOf, partitionOf, tableOf } from '../../src/analyses/heap/index.ts';
import { v8Heap } from '../../src/formats/v8-heap/index.ts';
import { fileBytes } from '../../src/model/disk/file-bytes.ts';
import { checkHeadroom, headroomFor } from '../../src/sources/inspector/headroom.ts';
import { NodeHeaps, takeNodeHeap } from '../../src/sources/inspector/index.ts';
import { portsOf } from '../../src/sources/inspector/ports.ts';
import { languageOf, nodeTarget } from '../../src/sources/inspector/target.ts';
import { tempFolder } from '../support/files.ts';
import { python } from '../support/programs.ts';

const PROGRAM = `
  class Leak { constructor() { this.list = [1, 2]; } }
  globalThis.leaks = [];
  setInterval(() => { for (let i = 0; i < 10; i++) leaks.push(new Leak()); }, 20);
  console.log('ready');
`;

function started(command: string, ...words: string[]): ChildProcess & { pid: number } {
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child as ChildProcess & { pid: number };
}

async function nodeProgram(): Promise<ChildProcess & { pid: number }> {
  // Any free port: several of these tests may run at once.
  const child = started(process.execPath, '--inspect-port=0', '-e', PROGRAM);
  await new Promise((resolve) => child.stdout!.once('data', resolve));
  return child;
}

const isAlive = (child: ChildProcess) => child.exitCode === null && child.signalCode === null;

describe('a heap of a running Node program', () => {
  it('is taken, and leaves the program as it was', async () => {
    const child = await nodeProgram();
    const file = join(tempFolder(), 'one.heapsnapshot');
    const taken = await takeNodeHeap(child.pid, file);
    expect(taken.version).toBe(process.version);
    const heap = heapOf(await v8Heap.read(fileBytes(file)));
    const kinds = partitionOf(heap);
    const leak = tableOf(kinds, { limit: kinds.rows }).rows.find(({ kind }) => kind === 'Leak');
    expect(leak!.count).toBeGreaterThanOrEqual(10);
    await sleep(400);
    expect(isAlive(child)).toBe(true);
    expect(portsOf(child.pid)).toEqual([]);
  }, 30_000);

  it('names objects the same all through a session, and lets the program end', async () => {
    const child = await nodeProgram();
    const folder = tempFolder();
    const heaps = await NodeHeaps.open(child.pid);
    const ids: Set<number>[] = [];
    for (const name of ['a', 'b']) {
      const file = join(folder, `${name}.heapsnapshot`);
      await heaps.take(file);
      const { nodes, strings } = await v8Heap.read(fileBytes(file));
      const leaks = [...nodes.kind.keys()].filter(
        (node) => strings.text(nodes.kind[node]!) === 'Leak',
      );
      ids.push(new Set(leaks.map((node) => nodes.id[node]!)));
    }
    expect([...ids[0]!].every((id) => ids[1]!.has(id))).toBe(true);
    expect(ids[1]!.size).toBeGreaterThan(ids[0]!.size);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
    await heaps.close();
  }, 30_000);

  it('is not asked of a process that is no Node, nor of one that would die of the signal', async () => {
    const sleeper = started('sleep', '30');
    const snake = started(python(), '-c', 'import time; time.sleep(30)');
    // Called node, but it is not: it does not catch the signal.
    const folder = tempFolder();
    mkdirSync(join(folder, 'bin'));
    const fake = join(folder, 'bin', 'node');
    copyFileSync('/bin/sleep', fake);
    const liar = started(fake, '30');
    await sleep(200);
    await expect(takeNodeHeap(sleeper.pid, '/dev/null')).rejects.toThrow(
      /runs sleep, which is not Node/,
    );
    await expect(takeNodeHeap(snake.pid, '/dev/null')).rejects.toThrow(/which is not Node/);
    expect(languageOf(snake.pid)).toBe('python');
    expect(nodeTarget(liar.pid).catchesSignal).toBe(false);
    await expect(takeNodeHeap(liar.pid, '/dev/null')).rejects.toThrow(
      /does not let its inspector be opened/,
    );
    await expect(takeNodeHeap(2 ** 22 + 1, '/dev/null')).rejects.toThrow(/there is no process/);
    await sleep(200);
    expect([sleeper, snake, liar].map(isAlive)).toEqual([true, true, true]);
  }, 30_000);

  it('is refused with the numbers where memory would not suffice', () => {
    const root = tempFolder();
    const put = (path: string, text: string) => {
      mkdirSync(join(root, path, '..'), { recursive: true });
      writeFileSync(join(root, path), text);
    };
    put('proc/meminfo', 'MemAvailable: 8388608 kB\n');
    put('proc/7/cgroup', '0::/job/step\n');
    const roots = { proc: join(root, 'proc'), sys: join(root, 'sys') };
    const heap = 500 * 2 ** 20;
    expect(headroomFor(7, heap, roots)).toMatchObject({ free: 8 * 2 ** 30, where: 'the machine' });
    put('sys/fs/cgroup/job/memory.max', `${2 ** 30}\n`);
    put('sys/fs/cgroup/job/memory.current', `${2 ** 29}\n`);
    put('sys/fs/cgroup/job/step/memory.max', 'max\n');
    const room = headroomFor(7, heap, roots);
    expect(room).toMatchObject({ free: 2 ** 29, where: 'its control group' });
    expect(() => checkHeadroom(room, heap)).toThrow(
      /a heap of 500 MiB may take 4\.88 GiB to write down, and its control group has 512 MiB left/,
    );
    expect(() => checkHeadroom({ ...room, free: 2 ** 40 }, heap)).not.toThrow();
  });
});
