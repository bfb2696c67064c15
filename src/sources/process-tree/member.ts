import { writeFileSync } from 'node:fs';
import { HeldFile, numberAt, openOrNull, type ProcStat } from '../proc.ts';
import type { Tick } from '../source.ts';
import { type Status, StatusParser } from './status.ts';

/**
 * `status` costs the kernel five times what `statm` does. While `statm` shows the very same pages,
 * `status` would say the same as before; it is read all the same after this time, for the kernel's
 * high-water mark and swap, which may have moved without a trace in `statm`.
 */
const STATUS_NS = 100e6;
const SPACE = 0x20;

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
  readonly #parser = new StatusParser();
  readonly #buffer: Buffer;
  readonly #statusFile: HeldFile;
  readonly #statmFile: HeldFile | null;
  readonly #clearRefs: string | null;
  #pageSize = Number.NaN;
  /** As `statm` showed them at the last look at `status`, and when that is due again. */
  #resident = Number.NaN;
  #shared = Number.NaN;
  #statusDue = 0;

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
    // Peaks that are reset at each full tick have to be read at each one, too.
    const useStatm = options.lean || !options.resetPeaks;
    this.#statmFile = useStatm ? openOrNull(`${folder}/statm`, options.buffer) : null;
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
  read({ time, full }: Tick): 'ok' | 'empty' | 'gone' {
    const file = this.#statmFile;
    if (!file || (full && this.#clearRefs)) return this.#readStatus();
    const length = file.read();
    if (length < 0) return 'gone';
    const buffer = this.#buffer;
    const residentAt = fieldAfter(buffer, 0, length);
    const resident = numberAt(buffer, residentAt, length);
    if (!(resident > 0)) return 'empty';
    const shared = numberAt(buffer, fieldAfter(buffer, residentAt, length), length);
    const same = resident === this.#resident && shared === this.#shared;
    if (same && (!full || time < this.#statusDue)) return 'ok';
    if (full || Number.isNaN(this.#pageSize)) {
      this.#statusDue = time + STATUS_NS;
      return this.#readBoth(resident, shared);
    }
    const { status } = this;
    status.rss = resident * this.#pageSize + (status.hugetlb || 0);
    status.anon = status.file = status.shmem = status.hwm = Number.NaN;
    this.#resident = Number.NaN;
    return 'ok';
  }

  close(): void {
    this.#statusFile.close();
    this.#statmFile?.close();
  }

  #readStatus(): 'ok' | 'empty' | 'gone' {
    const length = this.#statusFile.read();
    if (length < 0) return 'gone';
    if (!this.#parser.parse(this.#buffer, length, this.status)) return 'empty';
    if (this.#clearRefs) this.#resetPeak(this.#clearRefs);
    return 'ok';
  }

  /** `status`, and with it the pages that `statm` showed just before. */
  #readBoth(resident: number, shared: number): 'ok' | 'empty' | 'gone' {
    const state = this.#readStatus();
    if (state !== 'ok') return state;
    const { rss, hugetlb } = this.status;
    const bytes = rss - (hugetlb || 0);
    // The page size is not told anywhere a script can read it, but the two files together tell it.
    if (Number.isNaN(this.#pageSize)) this.#pageSize = pageSize(bytes, resident);
    // Pages that came or went between the two reads: then there is nothing to compare with.
    this.#resident = resident * this.#pageSize === bytes ? resident : Number.NaN;
    this.#shared = shared;
    return 'ok';
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

/** The page size (4, 16 or 64 KiB) that best explains a byte count given in pages. */
export function pageSize(bytes: number, pages: number): number {
  const guess = bytes / pages;
  return guess < 8192 ? 4096 : guess < 32_768 ? 16_384 : 65_536;
}
