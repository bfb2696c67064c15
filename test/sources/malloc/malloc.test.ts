import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { KiB, MiB } from '../../../src/base/bytes.ts';
import { mallocSource } from '../../../src/sources/malloc/index.ts';
import { type MallocState, mallocState } from '../../../src/sources/malloc/state.ts';
import { pageSize } from '../../../src/sources/page-size.ts';
import { THIS_MACHINE } from '../../../src/sources/source.ts';
import { FakeMachine } from '../../support/fake-machine.ts';
import { needs, python } from '../../support/programs.ts';
import { open, place, recorded } from '../../support/recorder.ts';

const PAGE = pageSize('/proc');
const SOURCE = join(import.meta.dirname, 'program.c');
const compiled = () => {
  const program = place('malloc-program');
  expect(spawnSync('gcc', ['-O1', '-pthread', '-o', program, SOURCE]).status).toBe(0);
  return program;
};

/** What it prints once it waits: its pid, bytes in use and free by its own account. */
async function started(command: string, args: readonly string[]) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  onTestFinished(() => void process.kill(-child.pid!, 'SIGKILL'));
  const line = await new Promise<string>((done) =>
    child.stdout.once('data', (all) => done(`${all}`)),
  );
  const [pid, inUse, free] = line.trim().split(' ').map(Number) as [number, number, number];
  return { pid, inUse, free };
}

const read = (pid: number) => mallocState('/proc', pid, PAGE);
const states = (pid: number) => read(pid) as MallocState;

const WAYS = {
  'with one arena': ['0'],
  'with an arena for each of six threads': ['6'],
  'after malloc_trim': ['2', 'trim'],
  'in a fork': ['0', 'fork'],
};

describe("what malloc has, read from outside, is what the program's own mallinfo2 tells", () => {
  for (const [how, args] of Object.entries(WAYS)) {
    needs('gcc')(how, async () => {
      const told = await started(compiled(), args);
      expect(states(told.pid)).toMatchObject({ inUse: told.inUse, free: told.free });
    });
  }

  needs('python3')('in Python', async () => {
    const told = await started(python(), ['-c', PYTHON]);
    const state = read(told.pid);
    expect(state).toEqual(expect.objectContaining({ free: expect.any(Number) }));
    const { inUse, free } = state as MallocState;
    // Printing takes and frees some itself.
    // Of the blocks that malloc mapped by themselves those are missed that lie behind another mapping.
    expect(inUse).toBeGreaterThan(0.9 * told.inUse);
    expect(inUse).toBeLessThan(told.inUse + 64 * KiB);
    expect(Math.abs(free - told.free)).toBeLessThan(64 * KiB);
  });
});

needs('gcc')('what was given back to the system is free, and not held', async () => {
  const { pid } = await started(compiled(), ['0', 'trim']);
  const { held, free, freeHeld } = states(pid);
  expect(free).toBeGreaterThan(40 * MiB);
  expect(freeHeld).toBeLessThan(0.8 * free);
  expect(freeHeld).toBeLessThan(held);
});

needs('gcc')('reading brings no page into memory that was not there', async () => {
  const { pid } = await started(compiled(), ['6']);
  const resident = () => /^VmRSS:.*$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![0];
  const before = resident();
  for (let i = 0; i < 3; i++) states(pid);
  expect(resident()).toBe(before);
});

needs('gcc')(
  'a heap that does not add up, and a process that is no more, are not told',
  async () => {
    const { pid } = await started(compiled(), ['0', 'own']);
    expect(read(pid)).toBe('unclear');
    expect(read(2 ** 22 + 1)).toBe('ended');
  },
);

/** Long enough for a thread to start and read it on a busy machine. */
const LIVES = '8';

needs('gcc')('record keeps it of a program that does not tell it itself', async () => {
  const { folder, stdout } = await recorded([], ['timeout', LIVES, compiled(), '0']);
  const [pid, inUse, free] = String(stdout).trim().split(' ').map(Number);
  const table = open(folder).table('malloc');
  const rows = [...table.u32('pid').keys()].filter((row) => table.u32('pid')[row] === pid);
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) {
    expect(table.f64('in_use')[row]).toBe(inUse);
    expect(table.f64('free')[row]).toBe(free);
    expect(table.f64('free_held')[row]!).toBeLessThan(table.f64('held')[row]!);
  }
});

const PYTHON = `
import ctypes, os, sys, time
keep = [bytes(700 + i % 4000) for i in range(20000)]
del keep[::2]
class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in
                'arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost'.split()]
mallinfo2 = ctypes.CDLL(None).mallinfo2
mallinfo2.restype = Info
now = mallinfo2()
print(f'{os.getpid()} {now.uordblks + now.hblkhd} {now.fordblks}', flush=True)
time.sleep(100)
`;

describe('doctor', () => {
  it('says whether programs may be read', () => {
    const machine = new FakeMachine();
    const scope = (value: number) => {
      machine.write('proc/sys/kernel/yama/ptrace_scope', `${value}\n`);
      return mallocSource.probe(machine);
    };
    machine.write('proc/self/status', 'CapEff:\t0000000000000000\n');
    expect(scope(1)).toMatchObject({ ok: true });
    expect(scope(2)).toMatchObject({
      ok: false,
      remedy: expect.stringContaining('ptrace_scope=1'),
    });
    expect(scope(3)).toMatchObject({ ok: false });
    expect(mallocSource.probe(THIS_MACHINE)).toHaveProperty('ok');
  });
});
