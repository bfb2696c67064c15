import { writeFileSync } from 'node:fs';
import { HeldFile, numberAt, type ProcStat } from '../proc.ts';
import { parseStatus, type Status } from './status.ts';

/** One living process of the tree and the files through which it is watched. */
export class Member {
  readonly pid: number;
  readonly startTime: number;
  readonly ppid: number;
  readonly session: number;
  readonly firstSeen: number;
  /** As the kernel gives it, to notice an exec. */
  commandLine = '';
  argv: string[] = [];
  name = '';
  role = '';
  /** The last measured PSS and the RSS at that moment; NaN before the first measurement. */
  readonly #measured = { pss: Number.NaN, rss: Number.NaN };
  /** Whether that was since the last sample. */
  pssIsFresh = false;
  readonly status: Status = {
    rss: Number.NaN,
    anon: Number.NaN,
    file: Number.NaN,
    shmem: Number.NaN,
    swap: Number.NaN,
    hwm: Number.NaN,
    hugetlb: Number.NaN,
  };
  readonly #buffer: Buffer;
  readonly #statusFile: HeldFile;
  readonly #statmFile: HeldFile | null;
  readonly #clearRefs: string | null;
  #pageSize = Number.NaN;

  constructor(
    stat: ProcStat,
    firstSeen: number,
    options: { proc: string; buffer: Buffer; lean: boolean; resetPeaks: boolean },
  ) {
    this.pid = stat.pid;
    this.startTime = stat.startTime;
    this.ppid = stat.ppid;
    this.session = stat.session;
    this.firstSeen = firstSeen;
    this.#buffer = options.buffer;
    const folder = `${options.proc}/${stat.pid}`;
    this.#statusFile = new HeldFile(`${folder}/status`, options.buffer);
    this.#statmFile = options.lean ? new HeldFile(`${folder}/statm`, options.buffer) : null;
    this.#clearRefs = options.resetPeaks ? `${folder}/clear_refs` : null;
  }

  setPss(pss: number, rss: number): void {
    this.#measured.pss = pss;
    this.#measured.rss = rss;
    this.pssIsFresh = true;
  }

  /**
   * PSS now: as measured, or carried on from there. What a process gained since is taken as its
   * own, what it lost as lost in proportion; the ratio alone would make a small program that
   * shares most of its pages look small for ever. null before the first measurement.
   */
  pssNow(): number {
    const { pss, rss } = this.#measured;
    if (this.pssIsFresh) return pss;
    const now = this.status.rss;
    return now >= rss ? pss + (now - rss) : pss * (now / rss);
  }

  /** 'gone' once reaped; 'empty' for a zombie, which has no memory any more. */
  read(full: boolean): 'ok' | 'empty' | 'gone' {
    return full || !this.#statmFile ? this.#readStatus() : this.#readStatm(this.#statmFile);
  }

  close(): void {
    this.#statusFile.close();
    this.#statmFile?.close();
  }

  #readStatus(): 'ok' | 'empty' | 'gone' {
    const length = this.#statusFile.read();
    if (length < 0) return 'gone';
    if (!parseStatus(this.#buffer, length, this.status)) return 'empty';
    if (this.#clearRefs) this.#resetPeak(this.#clearRefs);
    return 'ok';
  }

  #readStatm(file: HeldFile): 'ok' | 'empty' | 'gone' {
    const length = file.read();
    if (length < 0) return 'gone';
    const pages = numberAt(this.#buffer, this.#buffer.indexOf(0x20) + 1, length);
    if (!(pages > 0)) return 'empty';
    const { status } = this;
    // The page size is not told anywhere a script can read it, but the two files together tell it.
    if (Number.isNaN(this.#pageSize)) {
      if (this.#readStatus() !== 'ok') return 'empty';
      this.#pageSize = pageSize(status.rss - (status.hugetlb || 0), pages);
      return 'ok';
    }
    status.rss = pages * this.#pageSize + (status.hugetlb || 0);
    status.anon = status.file = status.shmem = status.swap = status.hwm = Number.NaN;
    return 'ok';
  }

  #resetPeak(path: string): void {
    try {
      writeFileSync(path, '5');
    } catch {}
  }
}

/** The page size (4, 16 or 64 KiB) that best explains a byte count given in pages. */
export function pageSize(bytes: number, pages: number): number {
  const guess = bytes / pages;
  return guess < 8192 ? 4096 : guess < 32_768 ? 16_384 : 65_536;
}
