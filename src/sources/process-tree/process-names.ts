import { redactArgv } from '../../base/secrets/index.ts';
import { SECOND_NS } from '../../base/time.ts';
import { readStat, readText } from '../proc.ts';
import { withoutLaunchShell } from './launch-shell.ts';
import { rankOf } from './rank.ts';
import { kindOf, RoleNumbers, roleKind } from './role.ts';
import type { TrackedProcess } from './tracked-process.ts';

/** A fork that has not become another program by then is a fork for good. */
const SETTLE_NS = 0.25 * SECOND_NS;
/** Names are looked at each second at first; later only when the kernel shows another one. */
const YOUNG_NS = 5 * SECOND_NS;
/** And now and then, for an exec that changes the command line alone. */
const NAMES_NS = 10 * SECOND_NS;
/** The unit of start times; 100 a second on every machine that Node runs on. */
const TICK_NS = SECOND_NS / 100;

/** What is still open about a process. */
interface PendingRole {
  readonly settlesAt: number;
  nextCheck: number;
  checks: number;
}

/**
 * Names and roles. A process that is about to exec looks for an instant like a fork of its parent,
 * which is what a worker looks like too. So a fork gets its role, and with it a number, only when
 * it was seen to stay one; until then its role is ''. No process ends without one.
 */
export class ProcessNames {
  readonly #proc: string;
  readonly #processOf: (pid: number) => TrackedProcess | undefined;
  readonly #record: (process: TrackedProcess) => void;
  readonly #roles = new RoleNumbers();
  /** In the order of birth, so that numbers are handed out in that order where they can be. */
  readonly #pending = new Map<TrackedProcess, PendingRole>();

  constructor(
    proc: string,
    processOf: (pid: number) => TrackedProcess | undefined,
    record: (process: TrackedProcess) => void,
  ) {
    this.#proc = proc;
    this.#processOf = processOf;
    this.#record = record;
  }

  /** The first look at a process. */
  add(process: TrackedProcess): void {
    this.#read(process);
    const time = process.firstSeen;
    const settlesAt = isClear(process) ? time : time + SETTLE_NS - this.#age(process);
    if (time >= settlesAt) this.#assignRole(process);
    else this.#pending.set(process, { settlesAt, nextCheck: time, checks: 1 });
    this.#record(process);
  }

  /** Another look at those whose role is open: soon at first, then more and more rarely. */
  recheckPending(time: number): void {
    for (const [process, pending] of this.#pending) {
      if (time < pending.nextCheck) continue;
      pending.nextCheck = Math.min(time + (time - process.firstSeen), pending.settlesAt);
      this.#check(process, pending);
      if (isClear(process) || time >= pending.settlesAt) this.#settle(process);
    }
  }

  /** Names and command lines of all others again: an exec changes both, the pid stays. */
  refresh(processes: Iterable<TrackedProcess>, time: number): void {
    for (const process of processes) {
      if (this.#pending.has(process)) continue;
      const due = time < process.firstSeen + YOUNG_NS || time >= process.namedAt + NAMES_NS;
      if (!due && !process.renamed) continue;
      process.renamed = false;
      process.namedAt = time;
      const line = this.#commandLine(process.pid);
      if (
        line === '' ||
        (line === process.commandLine && this.#comm(process.pid) === process.name)
      ) {
        continue;
      }
      this.#read(process);
      this.#assignRole(process);
      this.#record(process);
    }
  }

  /** Whoever has no role yet gets one, as the recording ends. */
  settleAll(): void {
    for (const [process, pending] of this.#pending) this.#settleEarly(process, pending);
  }

  /** A process is over; its number is free. */
  remove(process: TrackedProcess, time: number): void {
    const pending = this.#pending.get(process);
    if (pending) this.#settleEarly(process, pending);
    this.#roles.release(process.role, time);
  }

  #settleEarly(process: TrackedProcess, pending: PendingRole): void {
    this.#check(process, pending);
    // Seen once as a fork and never again, or only while it ran in its parent's own memory (vfork,
    // which an exec follows): nobody knows what it would have been.
    const unknown = !process.execed && (pending.checks === 1 || this.#runsInParent(process));
    if (unknown) process.role = this.#roles.take('child', process.firstSeen);
    this.#settle(process);
  }

  #settle(process: TrackedProcess): void {
    this.#pending.delete(process);
    if (process.role === '') this.#assignRole(process);
    this.#record(process);
  }

  #runsInParent(process: TrackedProcess): boolean {
    return this.#processOf(process.ppid)?.status.rss === process.status.rss;
  }

  #assignRole(process: TrackedProcess): void {
    const parent = this.#processOf(process.ppid) ?? { argv: [] };
    const { argv, name, execed } = process;
    const kind = roleKind({ argv, name, execed, parent: process.isRoot ? null : parent });
    if (kind === kindOf(process.role)) return;
    this.#roles.undo(process.role);
    process.role = this.#roles.take(kind, process.firstSeen);
  }

  #check(process: TrackedProcess, pending: PendingRole): void {
    const stat = readStat(this.#proc, process.pid);
    // One that is gone keeps what was known of it.
    if (stat?.startTime !== process.startTime) return;
    pending.checks++;
    if (stat.execed && !process.execed) {
      process.execed = true;
      process.commandLine = ''; // that was its parent's
      process.argv = [];
    }
    this.#read(process);
  }

  /** A zombie has a name, but no command line; nor has a process in the middle of its exec. */
  #read(process: TrackedProcess): void {
    process.name = this.#comm(process.pid);
    const line = this.#commandLine(process.pid);
    if (line === '') return;
    process.commandLine = line;
    process.argv = redactArgv(withoutLaunchShell(line.split('\0').slice(0, -1)));
    process.rank = rankOf(readText(`${this.#proc}/${process.pid}/environ`) ?? '');
  }

  /** How long a process has lived in ns; 0 where the kernel does not tell. */
  #age(process: TrackedProcess): number {
    const uptime = Number.parseFloat(readText(`${this.#proc}/uptime`) ?? '') || 0;
    return Math.max(0, uptime * SECOND_NS - process.startTime * TICK_NS);
  }

  #commandLine(pid: number): string {
    return readText(`${this.#proc}/${pid}/cmdline`) ?? '';
  }

  #comm(pid: number): string {
    return (readText(`${this.#proc}/${pid}/comm`) ?? '').trimEnd();
  }
}

/** The root is what it is; who has become another program is not taken for a fork any more. */
const isClear = (process: TrackedProcess) =>
  process.isRoot || (process.execed && process.commandLine !== '');
