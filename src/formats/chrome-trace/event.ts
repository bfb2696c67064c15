/** One event of the trace-event format; `ts` and `dur` are microseconds. */
export interface TraceEvent {
  readonly ph: 'C' | 'X' | 'i' | 'M';
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** Of an instant: seen on its own line only. */
  readonly s?: 't';
  readonly args?: Readonly<Record<string, number | string>>;
}

/** Events of one source, and how many points of it were left out. */
export interface Track {
  readonly events: readonly TraceEvent[];
  readonly points: number;
  readonly leftOut: number;
}

const MICROSECOND_NS = 1000;

/** Nanoseconds since the recording's start as the format counts. */
export const micros = (ns: number) => ns / MICROSECOND_NS;

/** Names a group of lines, and puts it in its place. */
export function groupName(pid: number, name: string): TraceEvent[] {
  return [
    { ph: 'M', name: 'process_name', pid, tid: 0, ts: 0, args: { name } },
    { ph: 'M', name: 'process_sort_index', pid, tid: 0, ts: 0, args: { sort_index: pid } },
  ];
}

export function lineName(pid: number, tid: number, name: string): TraceEvent {
  return { ph: 'M', name: 'thread_name', pid, tid, ts: 0, args: { name } };
}
