import { lastUpTo } from '../base/search.ts';
import { SECOND_NS } from '../base/time.ts';
import { agentMemorySum, lastSeen } from './agent-memory.ts';
import type { Recording } from './recording.ts';

/** A time in which a process of ours lived among the workload's, in ns since the recording's start. */
export interface OwnSpan {
  readonly fromNs: number;
  readonly toNs: number;
}

/** It is seen a sample after it was forked, and the kernel goes on freeing when it is gone. */
const MARGIN_NS = 0.1 * SECOND_NS;

/** When processes of ours lived: what the machine held then was partly ours, and how much nobody knows. */
export function ownSpans(recording: Recording): OwnSpan[] {
  const table = recording.table('own_memory');
  const [times, inside] = [table.f64('time'), table.u8('inside')];
  const spans: { fromNs: number; toNs: number }[] = [];
  for (let row = 0; row < table.rows; row++) {
    if (inside[row] === 1) continue;
    const [fromNs, toNs] = [times[row]! - MARGIN_NS, times[row]! + MARGIN_NS];
    const last = spans.at(-1);
    if (last && fromNs <= last.toNs) last.toNs = Math.max(last.toNs, toNs);
    else spans.push({ fromNs, toNs });
  }
  return spans;
}

/** What our work inside the workload's processes held at a moment; a process takes it along when it ends. */
export function ownInside(recording: Recording): (ns: number) => number {
  const agents = agentMemorySum(recording);
  const left = leftInside(recording);
  return (ns) => agents(ns) + left(ns);
}

function leftInside(recording: Recording): (ns: number) => number {
  const table = recording.table('own_memory');
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const [inside, bytes] = [table.u8('inside'), table.f64('rss')];
  const steps = new Map<number, { times: number[]; bytes: number[] }>();
  for (let row = 0; row < table.rows; row++) {
    if (inside[row] !== 1) continue;
    const of = steps.get(pids[row]!) ?? { times: [], bytes: [] };
    steps.set(pids[row]!, of);
    of.times.push(times[row]!);
    of.bytes.push(bytes[row]!);
  }
  if (steps.size === 0) return () => 0;
  const ends = lastSeen(recording);
  return (ns) => {
    let sum = 0;
    for (const [pid, of] of steps) {
      const at = lastUpTo(of.times, ns);
      if (at >= 0 && !(ends.get(pid)! < ns)) sum += of.bytes[at]!;
    }
    return sum;
  };
}
