import { readdirSync } from 'node:fs';
import { type HeldFile, numberAt, openOrNull, type ProcStat, readStat, readText } from '../proc.ts';
import type { Machine } from '../source.ts';

const SPACE = 0x20;
/** More new pids than this since the last look, and one listing of /proc is cheaper. */
const PROBE_AT_MOST = 128;

/**
 * Finds processes that started since the last look. The kernel's newest pid (in /proc/loadavg)
 * tells whether there is anything to look for, and which pids to look at: 2 µs where a scan of
 * /proc takes milliseconds. Pids wrap around; then, and after a burst, all of /proc is listed.
 */
export class ProcessFinder {
  readonly #machine: Machine;
  readonly #buffer = Buffer.alloc(256);
  readonly #loadavg: HeldFile | null;
  readonly #marker: string;
  #lastPid = -1;
  /** Pids that were handed out but not to be seen yet: the kernel counts them a moment earlier. */
  #unborn: number[] = [];

  /** `marker` is a NAME=value in the workload's environment, by which orphans are known. */
  constructor(machine: Machine, marker: string) {
    this.#machine = machine;
    this.#marker = marker;
    this.#loadavg = openOrNull(`${machine.proc}/loadavg`, this.#buffer);
  }

  /** New members, parents before children. `isMember` asks about pids already known. */
  find(isMember: (pid: number) => boolean, isSession: (sid: number) => boolean): ProcStat[] {
    const newest = this.#newestPid();
    if (newest === this.#lastPid && newest >= 0 && this.#unborn.length === 0) return [];
    const from = this.#lastPid;
    this.#lastPid = newest;
    const span = newest - from;
    const near = from >= 0 && span >= 0 && span <= PROBE_AT_MOST;
    const fresh = near ? Array.from({ length: span }, (_, i) => from + 1 + i) : [];
    const pids = near ? [...this.#unborn, ...fresh] : this.#allPids();
    this.#unborn = [];
    // After a burst a daemon may be among many others.
    const isNew = (pid: number) =>
      near || (from >= 0 && (span < 0 ? pid > from || pid <= newest : pid > from));
    const found: ProcStat[] = [];
    const foundPids = new Set<number>();
    const known = (pid: number) => isMember(pid) || foundPids.has(pid);
    for (const pid of pids) {
      if (known(pid)) continue;
      const stat = readStat(this.#machine.proc, pid);
      if (!stat && near && pid > from) this.#unborn.push(pid);
      if (!stat || stat.isThread) continue;
      if (known(stat.ppid) || isSession(stat.session) || (isNew(pid) && this.#carriesMarker(pid))) {
        found.push(stat);
        foundPids.add(pid);
      }
    }
    return found;
  }

  close(): void {
    this.#loadavg?.close();
  }

  /** −1 when the kernel does not tell: then every look is a listing. */
  #newestPid(): number {
    const length = this.#loadavg?.read() ?? -1;
    if (length <= 0) return -1;
    let at = length;
    while (at > 0 && this.#buffer[at - 1] !== SPACE) at--;
    const pid = numberAt(this.#buffer, at, length);
    return Number.isNaN(pid) ? -1 : pid;
  }

  #allPids(): number[] {
    return readdirSync(this.#machine.proc)
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .sort((a, b) => a - b);
  }

  /** A daemon whose parent is gone has no relative to know it by, but still has its environment. */
  #carriesMarker(pid: number): boolean {
    const environment = readText(`${this.#machine.proc}/${pid}/environ`);
    return environment !== null && `\0${environment}`.includes(`\0${this.#marker}\0`);
  }
}
