import { endianness } from 'node:os';
import type { Availability } from '../../model/run.ts';
import { readText } from '../proc.ts';
import type { Machine, Source } from '../source.ts';

/**
 * What glibc's malloc keeps free in processes that do not tell it, read from outside: chunk after chunk, out of /proc/PID/mem. It takes
 * milliseconds, so it is done on a time budget in a thread of its own.
 */
export const mallocSource: Source = {
  id: 'malloc',
  title: "what malloc keeps free in any program with glibc's (/proc/PID/mem)",
  probe: (machine) => refused(machine) ?? { ok: true, detail: 'the recorded programs are read' },
};

/** Those that one started oneself may be read where this is 1, by root alone where it is 2. */
const ONE_S_OWN = 1;
const ROOTS = 2;
/** Among a process's capabilities. */
const CAP_SYS_PTRACE = 1n << 19n;

function refused({ proc }: Machine): Availability | null {
  if (endianness() === 'BE' || !['x64', 'arm64', 'riscv64', 'loong64'].includes(process.arch)) {
    return { ok: false, reason: `not known how glibc lays out its heap on ${process.arch}` };
  }
  const scope = Number(readText(`${proc}/sys/kernel/yama/ptrace_scope`) ?? 0);
  const may = scope <= ONE_S_OWN || (scope === ROOTS && isCapable(proc));
  if (!may) {
    const reason = `kernel.yama.ptrace_scope is ${scope}: no other program's memory may be read`;
    const remedy = `sudo sysctl kernel.yama.ptrace_scope=${ONE_S_OWN}`;
    return scope > ROOTS ? { ok: false, reason } : { ok: false, reason, remedy };
  }
  return null;
}

function isCapable(proc: string): boolean {
  const mask = /^CapEff:\s*(\w+)$/m.exec(readText(`${proc}/self/status`) ?? '')?.[1] ?? '0';
  return (BigInt(`0x${mask}`) & CAP_SYS_PTRACE) !== 0n;
}
