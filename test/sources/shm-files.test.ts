import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ShmWatch, shmFiles, shmLeft } from '../../src/sources/shm-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'highwater-shm-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const write = (name: string, size: number) =>
  writeFileSync(join(folder, name), Buffer.alloc(size, 1));

it('names the files that appeared and stayed, by kind, the largest first', () => {
  write('torch_17_1_0', 65_536);
  write('theirs', 65_536);
  const before = shmFiles(folder);
  for (const n of [1, 2, 3]) write(`torch_4711_2233_${n}`, 65_536);
  write('psm_1f0a', 65_536);
  write('arena', 0);
  rmSync(join(folder, 'torch_17_1_0'));
  const left = shmLeft(before, folder);
  expect(left.map(({ pattern, files }) => [pattern, files])).toEqual([
    ['torch_*', 3],
    ['psm_*', 1],
    ['arena', 1],
  ]);
  expect(left[0]!.bytes).toBeGreaterThanOrEqual(3 * 65_536);
  expect(left[2]!.bytes).toBe(0);
});

it('has nothing to say where there is no such folder', () => {
  expect(shmLeft(shmFiles(join(folder, 'none')), join(folder, 'none'))).toEqual([]);
});

it('sees which files the workload used, open or mapped, and which merely appeared', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'highwater-shm-'));
  const pids: number[] = [];
  const watch = new ShmWatch(() => pids, folder);
  const child = spawn('sh', [
    '-c',
    `exec 3> ${join(folder, 'ours_1')}; echo x >&3; echo; sleep 20`,
  ]);
  pids.push(child.pid!);
  try {
    writeFileSync(join(folder, 'theirs_1'), 'y'.repeat(9000));
    await once(child.stdout, 'data');
    await expect.poll(() => watch.seen.size).toBe(1);
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  const left = watch.end();
  expect(left.map(({ pattern, files }) => [pattern, files]).sort()).toEqual([
    ['ours_*', 1],
    ['theirs_*', 1],
  ]);
  const of = (name: string) => left.find(({ pattern }) => pattern === name)!;
  expect(of('ours_*').seenBytes).toBe(of('ours_*').bytes);
  expect(of('theirs_*').seenBytes).toBe(0);
});
