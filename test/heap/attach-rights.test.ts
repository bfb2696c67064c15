import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { askAttached } from '../../src/record/attach/index.ts';
import { checkTarget, mayAttach } from '../../src/record/attach/permission.ts';
import { lengthFor, threadCode } from '../../src/record/attach/thread-code.ts';
import { tempFolder } from '../support/files.ts';
import { needs, python } from '../support/programs.ts';

const PID = 4242;
const TRACES = '0000000000080000';

interface Machine {
  scope?: number;
  capabilities?: string;
  state?: string;
  tracer?: number;
  program?: string;
  closed?: true;
}

/** A /proc with one Python program in it. */
function machine(of: Machine = {}): string {
  const proc = tempFolder();
  const { scope, capabilities = '0', state = 'S', tracer = 0, program = 'python3.11' } = of;
  if (scope !== undefined) {
    mkdirSync(join(proc, 'sys/kernel/yama'), { recursive: true });
    writeFileSync(join(proc, 'sys/kernel/yama/ptrace_scope'), `${scope}\n`);
  }
  mkdirSync(join(proc, 'self'));
  writeFileSync(join(proc, 'self/status'), `Name:\tnode\nCapEff:\t${capabilities}\n`);
  const own = join(proc, String(PID));
  mkdirSync(own);
  writeFileSync(join(own, 'stat'), `${PID} (python3.11) ${state} ${'1 '.repeat(50)}`);
  writeFileSync(join(own, 'status'), `Name:\tpython\nTracerPid:\t${tracer}\n`);
  symlinkSync(`/usr/bin/${program}`, join(own, 'exe'));
  symlinkSync('/', join(own, 'root'));
  if (!of.closed) writeFileSync(join(own, 'mem'), '');
  return proc;
}

describe('whether programs can be attached to', () => {
  it('is told by gdb and the kernel’s settings', () => {
    const told = (of: Machine, gdb = true) => mayAttach(gdb, machine(of));
    expect(told({})).toMatchObject({ ok: true });
    expect(told({ scope: 0 })).toMatchObject({ ok: true });
    expect(told({ scope: 1, capabilities: TRACES })).toMatchObject({ ok: true });
    expect(told({ scope: 2, capabilities: TRACES })).toMatchObject({ ok: true });
    expect(told({ scope: 0 }, false)).toMatchObject({ ok: false, reason: /gdb is not installed/ });
    expect(told({ scope: 1 })).toMatchObject({ ok: false, reason: /ptrace_scope is 1: only pro/ });
    expect(told({ scope: 2 })).toMatchObject({ ok: false, reason: /but by root may be traced/ });
    expect(told({ scope: 3, capabilities: TRACES })).toMatchObject({ ok: false, reason: /is 3/ });
  });

  it('is refused in one line, before anything is done to the program', () => {
    const check = (of: Machine, files = [__dirname]) =>
      expect(() => checkTarget(PID, files, machine(of)));
    check({}).not.toThrow();
    check({ state: 'Z' }).toThrow(/has ended/);
    check({ state: 'T' }).toThrow(/is stopped, and can do nothing for us/);
    check({ tracer: 77 }).toThrow(/has a debugger already: process 77 traces it/);
    check({ program: 'bash' }).toThrow(/is no Python that could be attached to/);
    check({ closed: true, scope: 1 }).toThrow(
      /cannot be attached to: kernel.yama.ptrace_scope is 1/,
    );
    check({ closed: true }).toThrow(/cannot be attached to: the system does not permit it/);
    check({}, ['/no/such/folder']).toThrow(/it is in a container/);
  });

  it('is no question of another user’s programs', () => {
    const [other, own] = [1, process.getuid!()];
    if (own === other) return;
    const proc = machine();
    process.getuid = () => other;
    try {
      expect(() => checkTarget(PID, [], proc)).toThrow(/belongs to another user/);
    } finally {
      process.getuid = () => own;
    }
  });

  it('keeps table and text where the code looks for them', () => {
    const functions = [1, 2, 3, 4, 5, 6, 7];
    const code = threadCode(functions, 0x7fff_1234_5678, 'pass');
    expect(code.length).toBe(lengthFor('pass'));
    // lea rbx, [rip+table]: seven bytes at 0x4f; the last jump reads the address to go back to.
    const table = 0x4f + 7 + code.readInt32LE(0x4f + 3);
    const numbers = Array.from({ length: 9 }, (_, i) =>
      Number(code.readBigUInt64LE(table + 8 * i)),
    );
    expect(numbers).toEqual([...functions, 0x7fff_1234_5678, 0x7fff_1234_5676]);
    expect(0xac + 6 + code.readInt32LE(0xac + 2)).toBe(table + 56);
    expect(0x9d + 6 + code.readInt32LE(0x9d + 2)).toBe(table + 64);
    expect(code.toString('latin1', table + 72)).toBe('pass\0');
  });

  needs('python3')('leaves a program alone that is stopped', async () => {
    const words = ['-c', 'import time; print(1, flush=True); time.sleep(60)'];
    const child = spawn(python(), words, { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGSTOP');
    const state = () => readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]![0];
    await expect.poll(state).toBe('T');
    await expect(askAttached(child.pid!, 'sizes', {}, 1000)).rejects.toThrow(/is stopped/);
  });
});
