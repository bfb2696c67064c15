import { MiB } from '../../base/bytes.ts';
import { shellJoin } from '../../base/text.ts';
import { SECOND_NS } from '../../base/time.ts';
import { TABLES } from '../../model/schema.ts';
import type { TableBuffer } from '../../model/table.ts';
import { OwnWork } from '../own-work.ts';
import { pageSize } from '../page-size.ts';
import { type ProcStat, readStat, readText } from '../proc.ts';
import type { Machine, PssReading, SampledRun, Sampler, Sink, Source, Tick } from '../source.ts';
import { ProcessFinder } from './finder.ts';
import { readIntake } from './intake.ts';
import { isOwnProcess, OwnProcesses } from './own-processes.ts';
import { ProcessNames } from './process-names.ts';
import { TrackedProcess } from './tracked-process.ts';

type ProcessTreeOptions = Pick<SampledRun, 'marker' | 'lean' | 'resetPeaks'> &
  Partial<
    Pick<SampledRun, 'onBirth' | 'onDeath' | 'onRise' | 'onOwnBirth' | 'onOwnDeath' | 'ownWork'>
  >;

/** Every process that the workload started: /proc/PID/status through held descriptors. */
export const processTreeSource: Source<ProcessTree> = {
  id: 'process-tree',
  title: 'processes of the workload (/proc/PID/status)',
  probe(machine) {
    const own = readText(`${machine.proc}/self/status`);
    if (own === null)
      return { ok: false, reason: `${machine.proc} is not mounted or not readable` };
    if (!own.includes('\nVmHWM:')) return { ok: false, reason: 'this kernel shows no VmHWM' };
    if (readText(`${machine.proc}/1/stat`) === null) {
      return { ok: true, detail: 'other users’ processes are hidden (hidepid)' };
    }
    return { ok: true };
  },
  open: (run) => new ProcessTree(run.machine, run.sink, run),
};

/** A process has risen when it is larger than before by this share, and by so many bytes. */
const RISE_SHARE = 1.1;
const RISE_BYTES = 16 * MiB;

/** What smaller processes read and ask for explains nobody's growth. */
const INTAKE_BYTES = 4 * MiB;

/** A process without memory (a zombie) is let go when it still has none after this time. */
const EMPTY_NS = SECOND_NS;
const NONE: TrackedProcess[] = [];

export interface OwnWorkChange {
  readonly pid: number;
  readonly where: 'beside' | 'inside';
  readonly begins: boolean;
  /** What of ours stays in the process, where it told that. */
  readonly left?: number;
}

export class ProcessTree implements Sampler {
  readonly takesLeanTicks = true;
  readonly #machine: Machine;
  readonly #options: ProcessTreeOptions;
  readonly #sink: Sink;
  readonly #samples: TableBuffer;
  readonly #identities: TableBuffer;
  readonly #intakes: TableBuffer;
  readonly #finder: ProcessFinder;
  readonly #names: ProcessNames;
  readonly #buffer = Buffer.alloc(8192);
  readonly #pageSize: number;
  readonly #tracked = new Map<number, TrackedProcess>();
  /** Since when a process has no memory; its role is free from then on. */
  readonly #empty = new Map<number, number>();
  #sessions = new Set<number>();
  readonly #own: OwnProcesses;
  readonly #work: OwnWork;
  readonly #isMember = (pid: number) => this.#tracked.has(pid) || this.#own.has(pid);
  readonly #isSession = (sid: number) => this.#sessions.has(sid);
  #rootPid = 0;
  /** Whether there is a root to watch. */
  watching = false;
  /** Sums of the newest sample. */
  readonly now = { rss: 0, pss: 0, swap: 0, processes: 0 };

  constructor(machine: Machine, sink: Sink, options: ProcessTreeOptions) {
    this.#machine = machine;
    this.#sink = sink;
    this.#options = options;
    this.#pageSize = pageSize(machine.proc);
    this.#samples = sink.table(TABLES.process);
    this.#identities = sink.table(TABLES.processes);
    this.#intakes = sink.table(TABLES.intake);
    this.#finder = new ProcessFinder(machine, options.marker);
    this.#work = options.ownWork ?? new OwnWork();
    this.#own = new OwnProcesses(sink, this.#work, (pid) => options.onOwnDeath?.(pid));
    this.#names = new ProcessNames(
      machine.proc,
      (pid) => this.#tracked.get(pid),
      (process) => this.#record(process, Number.NaN),
    );
  }

  /** Starts watching a process and, with it, all that descend from it. */
  addRoot(pid: number, time: number, ownSession: boolean): boolean {
    const stat = readStat(this.#machine.proc, pid);
    if (!stat) return false;
    this.#rootPid = pid;
    // Only a session of the workload's own tells its members; the user's shell has many others.
    if (ownSession) this.#sessions.add(pid);
    this.watching = true;
    return this.#adopt(stat, time) !== null;
  }

  /**
   * Figures that were measured elsewhere: reading them takes too long for this thread. A fork of ours shares its
   * program's pages and so halves its PSS: while there may be one, what was measured before goes on.
   */
  takePss(readings: readonly PssReading[], time: number): void {
    if (this.watching) this.#findNew(time);
    for (const { pid, pss, rss, private: only } of readings) {
      if (this.#own.has(pid)) this.#own.setPrivate(pid, only);
      else if (!this.#work.busy) this.#tracked.get(pid)?.setPss(pss, rss);
    }
  }

  /** Our work beside a process of the workload, in a fork of it, or inside of it begins, or ends. */
  setOwnWork({ pid, where, begins, left }: OwnWorkChange, time: number): void {
    this.#work.asked += begins ? 1 : -1;
    const process = this.#tracked.get(pid);
    if (where === 'beside' || !process) return;
    if (process.read({ time, full: true }) !== 'ok') return;
    if (begins) process.inside.begin(process.status.rss);
    else process.inside.end(process.status.rss, left);
    this.#noteInside(process, time);
  }

  sample(tick: Tick): void {
    if (!this.watching) return;
    const { now } = this;
    now.rss = now.pss = now.swap = now.processes = 0;
    // First those that may have gone: their roles are free for those that came since.
    for (const process of this.#tracked.values()) this.#read(process, tick);
    this.#own.sample(tick);
    if (!tick.full) return;
    this.#names.recheckPending(tick.time);
    for (const process of this.#findNew(tick.time)) this.#read(process, tick);
  }

  close(): void {
    for (const process of this.#tracked.values()) process.close();
    this.#tracked.clear();
    this.#own.close();
    this.#finder.close();
  }

  /** Names and command lines again: an exec changes both. */
  refreshNames(time: number): void {
    this.#names.refresh(this.#tracked.values(), time);
  }

  /** Before the end of a recording: everybody in it has a role. */
  settleNames(): void {
    this.#names.settleAll();
  }

  #read(process: TrackedProcess, tick: Tick): void {
    const state = process.read(tick);
    if (state === 'ok') {
      this.#addRow(process, tick);
      if (tick.full) this.#noteIntake(process, tick.time);
      this.#noteRise(process);
    } else if (state === 'gone' || this.#emptyTooLong(process, tick.time)) {
      this.#drop(process, tick.time);
    }
  }

  #noteRise(process: TrackedProcess): void {
    const { rss } = process.status;
    if (!(rss > process.toldRss * RISE_SHARE + RISE_BYTES)) return;
    process.toldRss = rss;
    this.#options.onRise?.(process.pid, rss);
  }

  #noteIntake(process: TrackedProcess, time: number): void {
    if (time < process.intakeDue || !(process.status.anon > INTAKE_BYTES)) return;
    process.intakeDue = time + SECOND_NS;
    const busy = process.busiestThread.look();
    const intake = readIntake(this.#machine.proc, process.pid, this.#pageSize);
    if (intake) this.#intakes.push([time, process.pid, intake.read, intake.asked, busy]);
  }

  #findNew(time: number): TrackedProcess[] {
    const found = this.#finder.find(this.#isMember, this.#isSession);
    if (found.length === 0) return NONE;
    return found.flatMap((stat) => this.#adopt(stat, time) ?? []);
  }

  #adopt(stat: ProcStat, time: number): TrackedProcess | null {
    try {
      const process = new TrackedProcess(stat, time, {
        proc: this.#machine.proc,
        buffer: this.#buffer,
        isRoot: stat.pid === this.#rootPid,
        lean: this.#options.lean,
        resetPeaks: this.#options.resetPeaks,
        pageSize: this.#pageSize,
      });
      if (isOwnProcess(stat) && !process.isRoot) {
        this.#own.add(process);
        this.#options.onOwnBirth?.(stat.pid, stat.startTime);
        return null;
      }
      this.#tracked.set(stat.pid, process);
      this.#names.add(process);
      this.#options.onBirth?.(stat.pid, stat.startTime);
      return process;
    } catch {
      return null; // It ended between being found and being opened.
    }
  }

  #drop(process: TrackedProcess, time: number): void {
    this.#tracked.delete(process.pid);
    this.#work.insideBytes -= process.insideShift;
    if (!this.#empty.delete(process.pid)) this.#names.remove(process, time);
    this.#record(process, time);
    process.close();
    this.#options.onDeath?.(process.pid);
  }

  #emptyTooLong(process: TrackedProcess, time: number): boolean {
    const since = this.#empty.get(process.pid);
    if (since !== undefined) return time - since >= EMPTY_NS;
    this.#empty.set(process.pid, time);
    this.#names.remove(process, time);
    return false;
  }

  #record(process: TrackedProcess, lastSeen: number): void {
    this.#identities.push([
      process.pid,
      process.startTime,
      process.ppid,
      this.#sink.intern(shellJoin(process.argv)),
      this.#sink.intern(process.name),
      this.#sink.intern(process.role),
      process.rank,
      process.firstSeen,
      Number.isNaN(lastSeen) ? null : lastSeen,
    ]);
  }

  /** Our share of a process, where there is a new one. */
  #noteInside(process: TrackedProcess, time: number): void {
    const { inside, status, pid } = process;
    inside.see(status.rss);
    this.#work.insideBytes += inside.shift - process.insideShift;
    process.insideShift = inside.shift;
    if (inside.bytes === process.insideNoted) return;
    process.insideNoted = inside.bytes;
    this.#own.addInside(time, pid, inside.bytes);
  }

  #addRow(process: TrackedProcess, tick: Tick): void {
    this.#noteInside(process, tick.time);
    const { status } = process;
    // One that is about to end gives its pages back, ours among them.
    const ours = Math.min(process.inside.shift, status.anon || 0);
    const measured = process.pssIsFresh;
    let pss = process.pssNow(ours);
    // A child that was just forked shares everything: it adds nothing yet. The root shares nothing.
    if (Number.isNaN(pss) && process.isRoot) pss = status.rss - ours;
    process.pssIsFresh = false;
    const table = this.#samples;
    const row = table.addRow();
    table.f64(0)[row] = tick.time;
    (table.columns[1] as Uint32Array)[row] = process.pid;
    table.f64(2)[row] = status.rss - ours;
    table.f64(3)[row] = status.anon - ours;
    table.f64(4)[row] = status.file;
    table.f64(5)[row] = status.shmem;
    table.f64(6)[row] = status.swap;
    table.f64(7)[row] = process.hwmOfProgram();
    table.f64(8)[row] = pss;
    (table.columns[9] as Uint8Array)[row] = measured ? 0 : 1;
    table.f64(10)[row] = tick.full ? process.cpuIfDue(tick.time) : Number.NaN;
    const { now } = this;
    now.processes++;
    now.rss += status.rss - ours;
    if (!Number.isNaN(pss)) now.pss += pss;
    if (status.swap > 0) now.swap += status.swap;
  }
}
