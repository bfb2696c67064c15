import { writeFileSync } from 'node:fs';
import { pageSizeOf } from '../page-size.ts';
import { HeldFile, numberAt, openOrNull, type ProcStat, processorTime, readText } from '../proc.ts';
import type { Tick } from '../source.ts';
import { BusiestThread } from './busiest-thread.ts';
import { InsideShare } from './inside-share.ts';
import { type ProcStatus, StatusParser } from './status.ts';

/**
 * `status` costs the kernel five times what `statm` does, and `statm` has the resident and the
 * anonymous pages as exactly. So at most ticks only that is read. Where it shows the very same pages,
 * `status` would say the same as before too; it is read all the same after a time, for the kernel's
 * high-water mark and swap, which may have moved without a trace in `statm`.
 */
const STATUS_SAME_NS = 200e6;
const STATUS_MOVED_NS = 30e6;
const SPACE = 0x20;
/**
 * Processor time is told in hundredths of a second, and moves slowly beside memory. It is read more often while a
 * process is young: of one that ends, what it used since the last look is not seen.
 */
const CPU_NS = 500e6;
const CPU_FIRST_NS = 20e6;
const CPU_OF_AGE = 0.25;

export interface TrackedProcessOptions {
  readonly proc: string;
  readonly buffer: Buffer;
  readonly isRoot: boolean;
  readonly lean: boolean;
  readonly resetPeaks: boolean;
  /** In bytes; NaN where the machine does not tell. */
  readonly pageSize: number;
}

/** One living process of the tree and the files through which it is watched. */
export class TrackedProcess {
  readonly pid: number;
  readonly startTime: number;
  readonly ppid: number;
  readonly session: number;
  readonly firstSeen: number;
  readonly isRoot: boolean;
  /** Whether it became another program since it was forked. */
  execed: boolean;
  /** As the kernel gives it, to notice an exec. */
  commandLine = '';
  argv: string[] = [];
  name = '';
  /** When the names were last looked at, and whether the kernel showed another one since. */
  namedAt = Number.NEGATIVE_INFINITY;
  renamed = false;
  /** '' until it is clear what it is (process-names.ts). */
  role = '';
  /** Distributed rank, where its launcher told it one. */
  rank: number | null = null;
  /** The last measured PSS and the RSS at that moment; NaN before the first measurement. */
  readonly #measured = { pss: Number.NaN, rss: Number.NaN };
  /** What of it is ours, and what the recording says of that. */
  readonly inside = new InsideShare();
  insideNoted = 0;
  insideShift = 0;
  /** Whether that was since the last sample. */
  pssIsFresh = false;
  /** When to look next at what it reads and asks for. */
  intakeDue = Number.NEGATIVE_INFINITY;
  readonly busiestThread: BusiestThread;
  /** Resident bytes when it was last said that it rose. */
  toldRss = 0;
  readonly status: ProcStatus = {
    rss: Number.NaN,
    anon: Number.NaN,
    file: Number.NaN,
    shmem: Number.NaN,
    swap: Number.NaN,
    hwm: Number.NaN,
    hugetlb: Number.NaN,
  };
  readonly #parser = new StatusParser();
  readonly #buffer: Buffer;
  readonly #statusFile: HeldFile;
  readonly #statmFile: HeldFile | null;
  readonly #clearRefs: string | null;
  #pageSize: number;
  /** What `status` goes with: the pages that `statm` showed. */
  #resident = Number.NaN;
  #shared = Number.NaN;
  /** When `status` was read last, and whether `statm` showed other pages since. */
  #statusAt = Number.NEGATIVE_INFINITY;
  #moved = false;
  readonly #statPath: string;
  #cpuDue = Number.NEGATIVE_INFINITY;

  constructor(stat: ProcStat, firstSeen: number, options: TrackedProcessOptions) {
    this.pid = stat.pid;
    this.startTime = stat.startTime;
    this.ppid = stat.ppid;
    this.session = stat.session;
    this.firstSeen = firstSeen;
    this.isRoot = options.isRoot;
    this.execed = stat.execed;
    this.#buffer = options.buffer;
    this.#pageSize = options.pageSize;
    const folder = `${options.proc}/${stat.pid}`;
    this.#statPath = `${folder}/stat`;
    this.busiestThread = new BusiestThread(options.proc, stat.pid);
    this.#statusFile = new HeldFile(`${folder}/status`, options.buffer);
    // Peaks that are reset at each full tick are read at each one, too.
    const useStatm = options.lean || !options.resetPeaks;
    this.#statmFile = useStatm ? openOrNull(`${folder}/statm`, options.buffer) : null;
    this.#clearRefs = options.resetPeaks ? `${folder}/clear_refs` : null;
  }

  /** What is ours in it is its own alone, and not the program's. */
  setPss(pss: number, rss: number): void {
    this.#measured.pss = pss - this.inside.shift;
    this.#measured.rss = rss - this.inside.shift;
    this.pssIsFresh = true;
  }

  /**
   * PSS of the program now: as measured, or carried on from there. What a process gained since is taken as its
   * own, what it lost as lost in proportion; the ratio alone would make a small program that
   * shares most of its pages look small for ever. null before the first measurement.
   */
  pssNow(ours: number): number {
    const { pss, rss } = this.#measured;
    if (this.pssIsFresh) return pss;
    const now = this.status.rss - ours;
    return now >= rss ? pss + (now - rss) : pss * (now / rss);
  }

  /** The kernel's mark has ours in it once we worked inside; a mark that is reset is another each time. */
  hwmOfProgram(): number {
    const { hwm } = this.status;
    if (this.inside.bytes === 0) return hwm;
    return this.#clearRefs ? hwm - this.inside.bytes : Number.NaN;
  }

  /** 'gone' once reaped; 'empty' for a zombie, which has no memory any more. */
  read({ time, full }: Tick): 'ok' | 'empty' | 'gone' {
    const file = this.#statmFile;
    if (!file || (full && this.#clearRefs)) {
      this.#resident = Number.NaN;
      return this.#readStatus();
    }
    const length = file.read();
    if (length < 0) return 'gone';
    const buffer = this.#buffer;
    const residentAt = fieldAfter(buffer, 0, length);
    const resident = numberAt(buffer, residentAt, length);
    if (!(resident > 0)) return 'empty';
    const shared = numberAt(buffer, fieldAfter(buffer, residentAt, length), length);
    const same = resident === this.#resident && shared === this.#shared;
    if (!same) this.#moved = true;
    if (this.#isStatusDue(time)) {
      this.#statusAt = time;
      return this.#readBoth(resident, shared);
    }
    if (!same) this.#takePages(resident, shared);
    return 'ok';
  }

  /** Processor time used so far, in ns; NaN where it is not due to be looked at. Not held open: that would be a third file of each process. */
  cpuIfDue(time: number): number {
    if (time < this.#cpuDue) return Number.NaN;
    const age = CPU_OF_AGE * (time - this.firstSeen);
    this.#cpuDue = time + Math.min(CPU_NS, Math.max(CPU_FIRST_NS, age));
    return processorTime(readText(this.#statPath) ?? '');
  }

  close(): void {
    this.#statusFile.close();
    this.#statmFile?.close();
  }

  #readStatus(): 'ok' | 'empty' | 'gone' {
    const length = this.#statusFile.read();
    if (length < 0) return 'gone';
    if (!this.#parser.parse(this.#buffer, length, this.status)) return 'empty';
    if (this.#parser.nameMoved(this.#buffer)) this.renamed = true;
    if (this.#clearRefs) this.#resetPeak(this.#clearRefs);
    return 'ok';
  }

  /** `status`, and with it the pages that `statm` showed just before. */
  #readBoth(resident: number, shared: number): 'ok' | 'empty' | 'gone' {
    const state = this.#readStatus();
    if (state !== 'ok') return state;
    const { rss, hugetlb } = this.status;
    const bytes = rss - (hugetlb || 0);
    if (Number.isNaN(this.#pageSize)) this.#pageSize = pageSizeOf(bytes, resident);
    // Pages that came or went between the two reads: then there is nothing to compare with.
    this.#resident = resident * this.#pageSize === bytes ? resident : Number.NaN;
    this.#shared = shared;
    this.#moved = false;
    return 'ok';
  }

  /** Peaks that are reset are read where they are reset, at full ticks, and nowhere else. */
  #isStatusDue(time: number): boolean {
    if (Number.isNaN(this.#pageSize)) return true;
    if (this.#clearRefs) return false;
    return time >= this.#statusAt + (this.#moved ? STATUS_MOVED_NS : STATUS_SAME_NS);
  }

  /**
   * What `statm` tells by itself. The high-water mark only grows, and is never below what is
   * resident; a peak between two ticks is seen at the next look at `status`.
   */
  #takePages(resident: number, shared: number): void {
    const { status } = this;
    const bytes = resident * this.#pageSize;
    status.rss = bytes + (status.hugetlb || 0);
    status.anon = (resident - shared) * this.#pageSize;
    status.hwm = this.#clearRefs ? Number.NaN : Math.max(status.hwm, bytes);
    // How these two divide what is shared, only `status` knows.
    if (shared !== this.#shared) status.file = status.shmem = Number.NaN;
    this.#resident = resident;
    this.#shared = shared;
  }

  #resetPeak(path: string): void {
    try {
      writeFileSync(path, '5');
    } catch {}
  }
}

/** Where the next field of a line of numbers begins. */
function fieldAfter(buffer: Uint8Array, position: number, end: number): number {
  let at = position;
  while (at < end && buffer[at] !== SPACE) at++;
  return at + 1;
}
