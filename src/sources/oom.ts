import { closeSync, constants, openSync, readSync } from 'node:fs';
import { errnoCode } from '../base/errors.ts';
import { readText } from './proc.ts';
import type { Machine } from './source.ts';

/** Whether the kernel's out-of-memory killer ended a workload, and what the answer rests on. */
export interface KernelOomVerdict {
  readonly oomKilled: boolean | null;
  readonly evidence: string;
}

/** What the kernel counts of its killings before and after. null: it does not count here. */
export interface OomCounts {
  /** In the workload's own control group; nobody else is counted. */
  readonly ownGroup: number | null;
  /** On the whole machine. */
  readonly machine: number | null;
}

export function machineOomKills(machine: Machine): number | null {
  const match = /^oom_kill (\d+)$/m.exec(readText(`${machine.proc}/vmstat`) ?? '');
  return match ? Number(match[1]) : null;
}

/** Judges by the group's count, else by the machine's count and the kernel's log. */
export function judgeOom(
  before: OomCounts,
  after: OomCounts,
  killedPids: ReadonlySet<number>,
  kernelLog: () => string[] | null,
): KernelOomVerdict {
  if (before.ownGroup !== null && after.ownGroup !== null) {
    const kills = after.ownGroup - before.ownGroup;
    if (kills > 0) {
      return {
        oomKilled: true,
        evidence: `the workload's control group counts ${kills} out-of-memory kill(s)`,
      };
    }
  }
  if (before.machine === null || after.machine === null) {
    return { oomKilled: null, evidence: 'this kernel does not count out-of-memory kills' };
  }
  const kills = after.machine - before.machine;
  if (kills <= 0) {
    return { oomKilled: false, evidence: "the kernel's count of out-of-memory kills did not move" };
  }
  const log = kernelLog();
  if (!log && before.ownGroup !== null && after.ownGroup !== null) {
    return {
      oomKilled: false,
      evidence: `the machine counts ${kills} out-of-memory kill(s) meanwhile, the workload's control group none`,
    };
  }
  if (!log) {
    return {
      oomKilled: null,
      evidence: `the machine counts ${kills} out-of-memory kill(s) meanwhile; the kernel log is not readable`,
    };
  }
  const ours = log.find((line) => {
    const match = /Killed process (\d+)/.exec(line);
    return match !== null && killedPids.has(Number(match[1]));
  });
  return ours
    ? { oomKilled: true, evidence: `kernel log: ${ours}` }
    : {
        oomKilled: false,
        evidence: `the machine counts ${kills} out-of-memory kill(s) meanwhile, none of them in this workload`,
      };
}

/** Kernel messages since a moment of CLOCK_MONOTONIC, or null where they may not be read. */
export function kernelLogSince(monotonicUs: number): string[] | null {
  let fd: number;
  try {
    fd = openSync('/dev/kmsg', constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  const lines: string[] = [];
  const buffer = Buffer.alloc(8192);
  try {
    for (;;) {
      // One read gives one record: "priority,sequence,microseconds,flags;message".
      const length = readRecord(fd, buffer);
      if (length < 0) break;
      const record = buffer.toString('utf8', 0, length);
      const match = /^\d+,\d+,(\d+),[^;]*;([^\n]*)/.exec(record);
      // The kernel stamps with a clock of its own that stays within a second of CLOCK_MONOTONIC.
      if (match && Number(match[1]) >= monotonicUs - 1e6) lines.push(match[2]!);
    }
  } finally {
    closeSync(fd);
  }
  return lines;
}

/** The length of the next record, −1 after the last one. */
function readRecord(fd: number, buffer: Buffer): number {
  try {
    return readSync(fd, buffer, 0, buffer.length, null);
  } catch (error) {
    // EPIPE: records were overwritten before they could be read; the next read goes on after them.
    return errnoCode(error) === 'EPIPE' ? 0 : -1;
  }
}
