import type { Recording } from './recording.ts';
import type { TableName } from './schema.ts';

/** Where `seconds` counts from, in ns since the recording's start, and what that moment is. */
export interface Origin {
  readonly ns: number;
  readonly is: 'workload start' | 'first sample' | 'recording start';
}

/** Tables whose rows are measurements at a time. */
export const SAMPLED: readonly TableName[] = ['host', 'process', 'cgroup', 'gpu'];

/** The workload's start where a mark tells it; else the first sample; else the recording's start. */
export function origin(recording: Recording): Origin {
  const start = firstMark(recording, 'start');
  if (start !== null) return { ns: start, is: 'workload start' };
  const firsts = SAMPLED.map((name) => recording.table(name))
    .filter((table) => table.rows > 0)
    .map((table) => table.f64('time')[0]!);
  if (firsts.length === 0) return { ns: 0, is: 'recording start' };
  return { ns: Math.min(...firsts), is: 'first sample' };
}

/** When the first mark of a kind happened, in ns; null when there is none. */
export function firstMark(recording: Recording, kind: string): number | null {
  const marks = recording.table('marks');
  const kinds = marks.u32('kind');
  // Marks of one kind follow each other: each is asked for its text once.
  let other = -1;
  const row = kinds.findIndex((id) => {
    if (id === other) return false;
    other = id;
    return recording.text(id) === kind;
  });
  return row < 0 ? null : marks.f64('time')[row]!;
}
