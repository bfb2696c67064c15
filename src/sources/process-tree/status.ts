import { KiB } from '../../base/bytes.ts';
import { numberAt } from '../proc.ts';

/** What one read of /proc/PID/status tells, in bytes. Taken together, so that hwm ≥ rss holds. */
export interface Status {
  rss: number;
  anon: number;
  file: number;
  shmem: number;
  swap: number;
  hwm: number;
  hugetlb: number;
}

const LABELS: readonly (readonly [keyof Status, string])[] = [
  ['hwm', '\nVmHWM:'],
  ['rss', '\nVmRSS:'],
  ['anon', '\nRssAnon:'],
  ['file', '\nRssFile:'],
  ['shmem', '\nRssShmem:'],
  ['swap', '\nVmSwap:'],
  ['hugetlb', '\nHugetlbPages:'],
];

/** Reads the figures into `into`; false for a process without memory (a zombie). */
export function parseStatus(buffer: Buffer, length: number, into: Status): boolean {
  let from = 0;
  for (const [field, label] of LABELS) {
    // In the order of the file, each search going on where the last one ended.
    const at = buffer.indexOf(label, from, 'latin1');
    if (at < 0 || at >= length) {
      if (field === 'hwm') return false;
      into[field] = Number.NaN;
      continue;
    }
    from = at + label.length;
    into[field] = numberAt(buffer, from, length) * KiB;
  }
  // Huge pages are resident too, but the kernel counts them apart.
  if (into.hugetlb > 0) into.rss += into.hugetlb;
  return true;
}
