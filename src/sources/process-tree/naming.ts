import { redactArgv } from '../../base/secrets.ts';
import { SECOND_NS } from '../../base/time.ts';
import { readStat, readText } from '../proc.ts';
import { withoutGate } from './gate.ts';
import type { Member } from './member.ts';
import { rankOf } from './rank.ts';
import { kindOf, RoleBook, roleKind } from './role.ts';

/** A fork that has not become another program by then is a fork for good. */
const SETTLE_NS = 0.25 * SECOND_NS;
/** Names are looked at each second at first; later only when the kernel shows another one. */
const YOUNG_NS = 5 * SECOND_NS;
/** And now and then, for an exec that changes the command line alone. */
const NAMES_NS = 10 * SECOND_NS;
/** The unit of start times; 100 a second on every machine that Node runs on. */
const TICK_NS = SECOND_NS / 100;

/** What is still open about a process. */
interface Question {
  readonly settlesAt: number;
  nextLook: number;
  looks: number;
}

/**
 * Names and roles. A process that is about to exec looks for an instant like a fork of its parent,
 * which is what a worker looks like too. So a fork gets its role, and with it a number, only when
 * it was seen to stay one; until then its role is ''. Nobody dies without a role.
 */
export class Naming {
  readonly #proc: string;
  readonly #memberOf: (pid: number) => Member | undefined;
  readonly #record: (member: Member) => void;
  readonly #roles = new RoleBook();
  /** In the order of birth, so that numbers are handed out in that order where they can be. */
  readonly #open = new Map<Member, Question>();

  constructor(
    proc: string,
    memberOf: (pid: number) => Member | undefined,
    record: (member: Member) => void,
  ) {
    this.#proc = proc;
    this.#memberOf = memberOf;
    this.#record = record;
  }

  /** The first look at a process. */
  meet(member: Member): void {
    this.#read(member);
    const time = member.firstSeen;
    const settlesAt = isClear(member) ? time : time + SETTLE_NS - this.#age(member);
    if (time >= settlesAt) this.#giveRole(member);
    else this.#open.set(member, { settlesAt, nextLook: time, looks: 1 });
    this.#record(member);
  }

  /** Another look at those whose role is open: soon at first, then more and more rarely. */
  look(time: number): void {
    for (const [member, question] of this.#open) {
      if (time < question.nextLook) continue;
      question.nextLook = Math.min(time + (time - member.firstSeen), question.settlesAt);
      this.#lookAgain(member, question);
      if (isClear(member) || time >= question.settlesAt) this.#settle(member);
    }
  }

  /** Names and command lines of all others again: an exec changes both, the pid stays. */
  refresh(members: Iterable<Member>, time: number): void {
    for (const member of members) {
      if (this.#open.has(member)) continue;
      const due = time < member.firstSeen + YOUNG_NS || time >= member.namedAt + NAMES_NS;
      if (!due && !member.renamed) continue;
      member.renamed = false;
      member.namedAt = time;
      const line = this.#commandLine(member.pid);
      if (line === '' || (line === member.commandLine && this.#comm(member.pid) === member.name)) {
        continue;
      }
      this.#read(member);
      this.#giveRole(member);
      this.#record(member);
    }
  }

  /** Whoever has no role yet gets one, as the recording ends. */
  settleAll(): void {
    for (const [member, question] of this.#open) this.#settleEarly(member, question);
  }

  /** A process is over; its number is free. */
  leave(member: Member, time: number): void {
    const question = this.#open.get(member);
    if (question) this.#settleEarly(member, question);
    this.#roles.giveBack(member.role, time);
  }

  #settleEarly(member: Member, question: Question): void {
    this.#lookAgain(member, question);
    // Seen once as a fork and never again, or only while it ran in its parent's own memory (vfork,
    // which an exec follows): nobody knows what it would have been.
    const unknown = !member.execed && (question.looks === 1 || this.#runsInParent(member));
    if (unknown) member.role = this.#roles.take('child', member.firstSeen);
    this.#settle(member);
  }

  #settle(member: Member): void {
    this.#open.delete(member);
    if (member.role === '') this.#giveRole(member);
    this.#record(member);
  }

  #runsInParent(member: Member): boolean {
    return this.#memberOf(member.ppid)?.status.rss === member.status.rss;
  }

  #giveRole(member: Member): void {
    const parent = this.#memberOf(member.ppid) ?? { argv: [] };
    const { argv, name, execed } = member;
    const kind = roleKind({ argv, name, execed, parent: member.isRoot ? null : parent });
    if (kind === kindOf(member.role)) return;
    this.#roles.undo(member.role);
    member.role = this.#roles.take(kind, member.firstSeen);
  }

  #lookAgain(member: Member, question: Question): void {
    const stat = readStat(this.#proc, member.pid);
    // One that is gone keeps what was known of it.
    if (stat?.startTime !== member.startTime) return;
    question.looks++;
    if (stat.execed && !member.execed) {
      member.execed = true;
      member.commandLine = ''; // that was its parent's
      member.argv = [];
    }
    this.#read(member);
  }

  /** A zombie has a name, but no command line; nor has a process in the middle of its exec. */
  #read(member: Member): void {
    member.name = this.#comm(member.pid);
    const line = this.#commandLine(member.pid);
    if (line === '') return;
    member.commandLine = line;
    member.argv = redactArgv(withoutGate(line.split('\0').slice(0, -1)));
    member.rank = rankOf(readText(`${this.#proc}/${member.pid}/environ`) ?? '');
  }

  /** How long a process has lived in ns; 0 where the kernel does not tell. */
  #age(member: Member): number {
    const uptime = Number.parseFloat(readText(`${this.#proc}/uptime`) ?? '') || 0;
    return Math.max(0, uptime * SECOND_NS - member.startTime * TICK_NS);
  }

  #commandLine(pid: number): string {
    return readText(`${this.#proc}/${pid}/cmdline`) ?? '';
  }

  #comm(pid: number): string {
    return (readText(`${this.#proc}/${pid}/comm`) ?? '').trimEnd();
  }
}

/** The root is what it is; who has become another program is not taken for a fork any more. */
const isClear = (member: Member) => member.isRoot || (member.execed && member.commandLine !== '');
