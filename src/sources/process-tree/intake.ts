import { readText } from '../proc.ts';

/** Where a process may have its memory's content from, and the memory itself. */
export interface Intake {
  /** Bytes that it read so far by read(), from files, pipes and terminals; null where the kernel does not tell us. */
  readonly read: number | null;
  /** Private memory that it may write to, whether it touched it or not. */
  readonly asked: number;
}

/** The sixth figure of `statm`: data and stacks, in pages. */
const DATA = 5;

/**
 * null of a process that is ending: it is still there, but its memory was given back, and "asked for nothing" would
 * read as if it had never asked. Its memory is looked at last, so that the other figures are of a living process.
 */
export function readIntake(proc: string, pid: number, pageSize: number): Intake | null {
  const io = /^rchar: (\d+)/m.exec(readText(`${proc}/${pid}/io`) ?? '');
  const pages = Number((readText(`${proc}/${pid}/statm`) ?? '').split(' ')[DATA]);
  if (!(pages > 0)) return null;
  return { read: io ? Number(io[1]) : null, asked: pages * pageSize };
}
