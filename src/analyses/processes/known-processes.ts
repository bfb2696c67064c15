import type { Recording } from '../../model/recording.ts';

/** Who a process was. One pid may have had several owners, told apart by their start times. */
export interface KnownProcess {
  readonly pid: number;
  readonly startTime: number;
  ppid: number | null;
  name: string;
  role: string;
  argv: string;
  rank: number | null;
  firstNs: number;
  /** NaN while it lives. */
  lastNs: number;
}

/** All processes of a recording, found by pid and moment. */
export class KnownProcesses {
  readonly members: KnownProcess[] = [];
  readonly #byPid = new Map<number, KnownProcess[]>();

  constructor(recording: Recording) {
    const table = recording.table('processes');
    const columns = {
      pid: table.u32('pid'),
      ppid: table.u32('ppid'),
      startTime: table.f64('start_time'),
      argv: table.u32('argv'),
      name: table.u32('name'),
      role: table.u32('role'),
      rank: table.f64('rank'),
      first: table.f64('first_seen'),
      last: table.f64('last_seen'),
    };
    for (let row = 0; row < table.rows; row++) {
      // A later row of the same process replaces what the earlier one said.
      const member = this.#member(columns.pid[row]!, columns.startTime[row]!);
      member.ppid = columns.ppid[row]!;
      member.name = recording.text(columns.name[row]!);
      member.role = recording.text(columns.role[row]!);
      member.argv = recording.text(columns.argv[row]!);
      member.rank = Number.isNaN(columns.rank[row]!) ? null : columns.rank[row]!;
      member.firstNs = columns.first[row]!;
      member.lastNs = columns.last[row]!;
    }
    for (const owners of this.#byPid.values()) owners.sort((a, b) => a.firstNs - b.firstNs);
  }

  /** The owner of a pid at a moment; a pid that no row introduced becomes a nameless member. */
  at(pid: number, ns: number): KnownProcess {
    const owners = this.#byPid.get(pid);
    if (!owners) return this.#member(pid, Number.NaN, ns);
    let found = owners[0]!;
    for (let i = 1; i < owners.length && owners[i]!.firstNs <= ns; i++) found = owners[i]!;
    return found;
  }

  #member(pid: number, startTime: number, firstNs = Number.NaN): KnownProcess {
    const owners = this.#byPid.get(pid) ?? [];
    const known = owners.find((member) => Object.is(member.startTime, startTime));
    if (known) return known;
    const member: KnownProcess = {
      pid,
      startTime,
      ppid: null,
      name: '',
      role: '',
      argv: '',
      rank: null,
      firstNs,
      lastNs: Number.NaN,
    };
    this.members.push(member);
    this.#byPid.set(pid, [...owners, member]);
    return member;
  }
}
