import type { Recording } from '../../model/recording.ts';

/** What is known of a process. One pid may have been that of several, distinguished by their start times. */
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
  readonly all: KnownProcess[] = [];
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
      // A later row of the same process replaces the earlier one.
      const process = this.#process(columns.pid[row]!, columns.startTime[row]!);
      process.ppid = columns.ppid[row]!;
      process.name = recording.text(columns.name[row]!);
      process.role = recording.text(columns.role[row]!);
      process.argv = recording.text(columns.argv[row]!);
      process.rank = Number.isNaN(columns.rank[row]!) ? null : columns.rank[row]!;
      process.firstNs = columns.first[row]!;
      process.lastNs = columns.last[row]!;
    }
    for (const ofPid of this.#byPid.values()) ofPid.sort((a, b) => a.firstNs - b.firstNs);
  }

  /** The process of a pid at a moment; a pid without a row becomes one without a name. */
  at(pid: number, ns: number): KnownProcess {
    const ofPid = this.#byPid.get(pid);
    if (!ofPid) return this.#process(pid, Number.NaN, ns);
    let found = ofPid[0]!;
    for (let i = 1; i < ofPid.length && ofPid[i]!.firstNs <= ns; i++) found = ofPid[i]!;
    return found;
  }

  #process(pid: number, startTime: number, firstNs = Number.NaN): KnownProcess {
    const ofPid = this.#byPid.get(pid) ?? [];
    const known = ofPid.find((process) => Object.is(process.startTime, startTime));
    if (known) return known;
    const process: KnownProcess = {
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
    this.all.push(process);
    this.#byPid.set(pid, [...ofPid, process]);
    return process;
  }
}
