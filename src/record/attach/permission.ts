import { closeSync, openSync, statSync } from 'node:fs';
import { UserError } from '../../base/errors.ts';
import type { Availability } from '../../model/run.ts';
import { languageOf } from '../../sources/inspector/index.ts';
import { readStat, readText } from '../../sources/proc.ts';
import { resolveCommand } from '../run/command.ts';

/** Of a process's capabilities: to trace others. */
const CAP_SYS_PTRACE = 1n << 19n;
const ALLOW = 'sudo sysctl kernel.yama.ptrace_scope=0, or run highwater as root';

export function hasGdb(): boolean {
  try {
    return resolveCommand('gdb') !== '';
  } catch {
    return false;
  }
}

/** What this machine lets a user do to other programs of the same user. */
export function mayAttach(gdb = hasGdb(), proc = '/proc'): Availability {
  const scope = Number(readText(`${proc}/sys/kernel/yama/ptrace_scope`) ?? 0);
  if (scope >= 3)
    return { ok: false, reason: 'kernel.yama.ptrace_scope is 3: no program may be traced' };
  if (scope > 0 && !isCapable(proc)) {
    const who = scope === 1 ? 'only programs that one started oneself' : 'no program but by root';
    const reason = `kernel.yama.ptrace_scope is ${scope}: ${who} may be traced`;
    return { ok: false, reason, remedy: ALLOW };
  }
  if (!gdb) {
    const reason = 'gdb is not installed; only Python 3.14 and newer can be attached to';
    return { ok: false, reason, remedy: 'apt-get install gdb' };
  }
  return { ok: true, detail: 'by gdb; Python 3.14 and newer by sys.remote_exec' };
}

function isCapable(proc: string): boolean {
  const mask = statusField(`${proc}/self`, 'CapEff') ?? '0';
  return (BigInt(`0x${mask}`) & CAP_SYS_PTRACE) !== 0n;
}

/** Throws where a process cannot be attached to; nothing is done to it here. `files`: it has to see these as we do. */
export function checkTarget(pid: number, files: readonly string[], proc = '/proc'): void {
  const stat = readStat(proc, pid);
  if (!stat || stat.state === 'Z' || stat.state === 'X')
    throw new UserError(`process ${pid} has ended`);
  const { uid } = statSync(`${proc}/${pid}`);
  // Its interpreter is started to learn the version: another user's program is not ours to start.
  if (uid !== process.getuid?.()) {
    throw new UserError(`process ${pid} has no agent, and belongs to another user`, {
      hint: `run highwater as that user: sudo -u '#${uid}' highwater …`,
    });
  }
  if (languageOf(pid, proc) !== 'python')
    throw new UserError(`process ${pid} has no agent, and is no Python that could be attached to`);
  if (stat.state === 'T') {
    throw new UserError(`process ${pid} is stopped, and can do nothing for us`, {
      hint: `let it go on first: kill -CONT ${pid}`,
    });
  }
  const tracer = Number(statusField(`${proc}/${pid}`, 'TracerPid') ?? 0);
  if (tracer > 0)
    throw new UserError(`process ${pid} has a debugger already: process ${tracer} traces it`);
  if (!isOpen(`${proc}/${pid}/mem`)) throw notTraced(pid, proc);
  if (!files.every((file) => isSame(file, `${proc}/${pid}/root${file}`))) {
    throw new UserError(`process ${pid} sees other files than we do: it is in a container`, {
      hint: 'run highwater inside of it, as with docker exec',
    });
  }
}

export function notTraced(pid: number, proc = '/proc'): UserError {
  const may = mayAttach(true, proc);
  if (!may.ok)
    return new UserError(`process ${pid} cannot be attached to: ${may.reason}`, {
      ...(may.remedy && { hint: may.remedy }),
    });
  return new UserError(`process ${pid} cannot be attached to: the system does not permit it`, {
    hint: 'in a container that needs --cap-add=SYS_PTRACE; else ask as root',
  });
}

/** A line of a process's or thread's `status`. */
export function statusField(folder: string, name: string): string | null {
  const text = readText(`${folder}/status`) ?? '';
  return new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(text)?.[1] ?? null;
}

/** The kernel opens a process's memory to whom it would let trace it. */
function isOpen(path: string): boolean {
  try {
    closeSync(openSync(path, 'r'));
    return true;
  } catch {
    return false;
  }
}

function isSame(a: string, b: string): boolean {
  try {
    const [one, other] = [statSync(a), statSync(b)];
    return one.dev === other.dev && one.ino === other.ino;
  } catch {
    return false;
  }
}
