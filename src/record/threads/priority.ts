import { readdirSync, readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { THIS_MACHINE } from '../../sources/source.ts';
import { loadLibc } from '../workload/libc.ts';

/** The shortest that Linux allows. */
const SLICE_NS = 100_000;

/**
 * Enough to be woken at once. Not the highest there is: the kernel divides what a session or container gets among
 * processors by the weight of what runs there, so that a thread of many times the usual weight would take the
 * workload's part along to its own processor.
 */
const NICE = constants.priority.PRIORITY_ABOVE_NORMAL;

/**
 * A busy machine delays threads that only wake now and then. Where we may, threads that sample get a
 * higher priority, and with them V8's own helpers, for which a garbage collection waits in the middle
 * of a sample. Not the main thread: the workload would inherit that.
 */
export function raisePriority(): void {
  try {
    for (const thread of readdirSync(`${THIS_MACHINE.proc}/self/task`)) {
      if (Number(thread) !== process.pid) setPriority(Number(thread), NICE);
    }
  } catch {}
}

/** Takes that back for the calling thread, before it starts a program that would inherit it. */
export function resetPriority(): void {
  try {
    setPriority(0, constants.priority.PRIORITY_NORMAL);
  } catch {}
}

/** The kernel's number of the calling thread; null where /proc does not tell. */
export function kernelThreadId(): number | null {
  try {
    return Number(readlinkSync(`${THIS_MACHINE.proc}/thread-self`).split('/').at(-1));
  } catch {
    return null;
  }
}

/**
 * What needs no privilege: a short time slice. A thread that wakes and works for a fraction of a
 * millisecond has used up its share afterwards, and on a busy machine waits for another one to
 * finish its slice (3 ms and more); one with short slices may preempt it (Linux 6.12). For another
 * thread of ours, so that only the main thread has to load the native bridge.
 */
export function shortenTimeSlice(thread: number): void {
  try {
    loadLibc()?.setSlice(thread, getPriority(thread), SLICE_NS);
  } catch {}
}
