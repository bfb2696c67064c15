import { TABLES, TIME_FROM } from '../../../model/schema.ts';
import { number, text, type Wrong } from './fields.ts';
import type { RowCells, RowKind } from './kind.ts';

/**
 * `step`: an iteration that nobody named; seen by an optimizer's step, counted from 1. `cell`: one of a notebook begins
 * (`In [3]`) or has ended (`/In [3]`, `/In [3] failed`); its value is the size of the process at that moment.
 */
const MARK_KINDS = ['iteration', 'step', 'epoch', 'phase', 'note', 'cell'] as const;
type MarkKind = (typeof MARK_KINDS)[number];

export interface AgentMark {
  readonly type: 'mark';
  /** CLOCK_MONOTONIC of the machine, nanoseconds. */
  readonly time: number;
  readonly kind: MarkKind;
  readonly name: string;
  readonly epoch: number | null;
  readonly iteration: number | null;
  readonly value: number | null;
}

/** A mark of a recording: an agent's, one that a line of output made, or the recorder's own. */
export interface Mark {
  /** ns since the recording's start. */
  readonly time: number;
  readonly timeFrom: number;
  readonly pid: number | null;
  readonly rank?: number | null;
  readonly kind: MarkKind | 'count' | 'start' | 'end' | 'oom' | 'request';
  readonly name: string;
  readonly epoch?: number | null;
  readonly iteration?: number | null;
  readonly value?: number | null;
}

export const markKind = {
  type: 'mark',
  limits: { perMessage: 1, perRecording: Number.POSITIVE_INFINITY },
  table: TABLES.marks,
  parse(fields): AgentMark | Wrong {
    const time = number(fields.time);
    if (time === null) return { wrong: 'mark without time' };
    const kind = MARK_KINDS.find((one) => one === fields.kind);
    if (!kind) return { wrong: 'mark of unknown kind' };
    return {
      type: 'mark',
      time,
      kind,
      name: text(fields.name),
      epoch: number(fields.epoch),
      iteration: number(fields.iteration),
      value: number(fields.value),
    };
  },
  rows({ message, time, pid, rank }, intern) {
    return [markRow({ ...message, time, timeFrom: TIME_FROM.agent, pid, rank }, intern)];
  },
} satisfies RowKind<AgentMark>;

export function markRow(mark: Mark, intern: (text: string) => number): RowCells {
  return [
    mark.time,
    mark.timeFrom,
    mark.pid,
    mark.rank ?? null,
    intern(mark.kind),
    intern(mark.name),
    mark.epoch ?? null,
    mark.iteration ?? null,
    mark.value ?? null,
  ];
}
