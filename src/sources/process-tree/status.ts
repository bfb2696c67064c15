import { KiB } from '../../base/bytes.ts';
import { numberAt } from '../proc.ts';

/** What one read of /proc/PID/status tells, in bytes. Taken together, so that hwm ≥ rss holds. */
export interface ProcStatus {
  rss: number;
  anon: number;
  file: number;
  shmem: number;
  swap: number;
  hwm: number;
  hugetlb: number;
}

/** In the order of the file. */
const LABELS: readonly { readonly field: keyof ProcStatus; readonly label: Uint8Array }[] = (
  [
    ['hwm', '\nVmHWM:'],
    ['rss', '\nVmRSS:'],
    ['anon', '\nRssAnon:'],
    ['file', '\nRssFile:'],
    ['shmem', '\nRssShmem:'],
    ['swap', '\nVmSwap:'],
    ['hugetlb', '\nHugetlbPages:'],
  ] as const
).map(([field, label]) => ({ field, label: Buffer.from(label, 'latin1') }));

/** "Name:" and a tab, at most 15 bytes of name; a little more where some are escaped. */
const FIRST_LINE = 24;

/** Reads one process's `status` again and again: its lines hardly move, so no text is searched. */
export class StatusParser {
  readonly #places = new Int32Array(LABELS.length);
  readonly #firstLine = new Uint8Array(FIRST_LINE);

  /** Reads the figures into `into`; false for a process without memory (a zombie). */
  parse(buffer: Buffer, length: number, into: ProcStatus): boolean {
    let from = 0;
    for (let i = 0; i < LABELS.length; i++) {
      const { field, label } = LABELS[i]!;
      let at = this.#places[i]!;
      if (at < from || !holds(buffer, at, label)) at = buffer.indexOf(label, from);
      if (at < 0 || at >= length) {
        if (field === 'hwm') return false;
        into[field] = Number.NaN;
        continue;
      }
      this.#places[i] = at;
      from = at + label.length;
      into[field] = numberAt(buffer, from, length) * KiB;
    }
    // Huge pages are resident too, but the kernel counts them apart.
    if (into.hugetlb > 0) into.rss += into.hugetlb;
    return true;
  }

  /** Whether the first line, which has the name, is another than at the last call. */
  nameMoved(buffer: Uint8Array): boolean {
    const line = this.#firstLine;
    if (holds(buffer, 0, line)) return false;
    line.set(buffer.subarray(0, line.length));
    return true;
  }
}

function holds(buffer: Uint8Array, at: number, label: Uint8Array): boolean {
  for (let i = 0; i < label.length; i++) if (buffer[at + i] !== label[i]) return false;
  return true;
}
