import { readlinkSync } from 'node:fs';
import { statusField } from './permission.ts';

/** A thread that a debugger has stopped. */
export interface StoppedThread {
  /** gdb's number and the kernel's. */
  readonly number: number;
  readonly id: number;
  /** The system call that it is in, with two of its arguments; −1: none. */
  readonly call: number;
  readonly first: number;
  readonly second: number;
  readonly at: number;
}

// Calls of x86-64 in which a thread waits, and which neither malloc nor the loader make.
const POLLS = [7, 271, 23, 270, 232, 281, 441]; // poll, ppoll, select, pselect6, epoll_wait, epoll_pwait, epoll_pwait2
const SLEEPS = [35, 230, 34, 61, 247, 128, 130]; // nanosleep, clock_nanosleep, pause, wait4, waitid, rt_sigtimedwait, rt_sigsuspend
const SOCKETS = [42, 43, 288, 45, 47, 299, 44, 46]; // connect, accept, accept4, recvfrom, recvmsg, recvmmsg, sendto, sendmsg
const GOES_ON = 219; // restart_syscall: one of these that was interrupted
const WAITS: ReadonlySet<number> = new Set([...POLLS, ...SLEEPS, ...SOCKETS, GOES_ON]);
const READ = 0;
const FUTEX = 202;
/** How conditions and semaphores wait, as Python's locks do; malloc's lock and mutexes wait otherwise. */
const WAIT_BITSET = 9;

/**
 * One that can start another thread: it is not inside malloc, the loader or libc's own work with threads, whose locks
 * that would need. That is so where it waits, and where it runs the interpreter's own code. Whether it has Python's lock does not matter.
 */
export function quietThread(
  pid: number,
  threads: readonly StoppedThread[],
  isInterpreter: (address: number) => boolean,
): StoppedThread | undefined {
  const waits = ({ call, first, second }: StoppedThread) =>
    WAITS.has(call) ||
    (call === FUTEX && (second & 0x7f) === WAIT_BITSET) ||
    (call === READ && isStream(pid, first));
  const quiet = threads.filter(({ id }) => !mayHandleSignal(pid, id));
  return quiet.find(waits) ?? quiet.find(({ call, at }) => call === -1 && isInterpreter(at));
}

/** The loader reads as well, but regular files only. */
function isStream(pid: number, descriptor: number): boolean {
  try {
    return /^(pipe|socket|anon_inode):|^\/dev\//.test(
      readlinkSync(`/proc/${pid}/fd/${descriptor}`),
    );
  } catch {
    return false;
  }
}

/** What a handler interrupted may be anything. While one runs its signal is blocked. */
function mayHandleSignal(pid: number, thread: number): boolean {
  const mask = (of: string) => BigInt(`0x${statusField(`/proc/${pid}/task/${thread}`, of) ?? 'f'}`);
  return (mask('SigBlk') & mask('SigCgt')) !== 0n;
}
