import { readText } from '../proc.ts';

/** Where a process may have its memory's content from, and the memory itself. */
export interface Intake {
  /** Bytes that it read so far by read(), from files, pipes and terminals; null where the kernel does not tell us. */
  readonly read: number | null;
  /** Private memory that it may write to, whether it touched it or not. */
  readonly asked: number | null;
  /** For how long its main thread ran, or would have run had there been a processor; ns. */
  readonly busy: number | null;
}

/** The sixth figure of `statm`: data and stacks, in pages. */
const DATA = 5;

export function readIntake(proc: string, pid: number, pageSize: number): Intake {
  const io = /^rchar: (\d+)/m.exec(readText(`${proc}/${pid}/io`) ?? '');
  const pages = Number((readText(`${proc}/${pid}/statm`) ?? '').split(' ')[DATA]);
  const asked = pages * pageSize;
  const [ran, waited] = (readText(`${proc}/${pid}/schedstat`) ?? '').split(' ').map(Number);
  const known = (value: number) => (Number.isFinite(value) ? value : null);
  return {
    read: io ? Number(io[1]) : null,
    asked: known(asked),
    busy: known((ran || Number.NaN) + (waited ?? Number.NaN)),
  };
}
