import { TABLES } from '../../../model/schema.ts';
import { goodOnes, isRowOf, number, type Wrong } from './fields.ts';
import type { MeasuredMessage, RowKind } from './kind.ts';

type TensorRow = readonly [
  shape: string,
  dtype: string,
  device: string,
  what: string,
  holder: string,
  count: number,
  bytes: number,
];

/** The tensors that live in a process, by shape and kind: the largest groups. */
export interface AgentTensors extends MeasuredMessage {
  readonly type: 'tensors';
  readonly rows: readonly TensorRow[];
}

export const tensorsKind = {
  type: 'tensors',
  // Each text of a row is kept once, and there are not many; rows are few, as a survey is dear.
  limits: { perMessage: 100, perRecording: 500_000 },
  table: TABLES.tensors,
  parse(fields): AgentTensors | Wrong {
    const time = number(fields.time);
    if (time === null) return { wrong: 'tensors without time' };
    if (!Array.isArray(fields.rows)) return { wrong: 'tensors without rows' };
    const { good, refused } = goodOnes(fields.rows, this.limits.perMessage, isTensorRow);
    return { type: 'tensors', time, rows: good, ...refused };
  },
  rows({ message, time, pid, rank }, intern) {
    return message.rows.map(([shape, dtype, device, what, holder, count, bytes]) => [
      ...[time, pid, rank],
      ...[shape, dtype, device, what, holder].map(intern),
      ...[count, bytes],
    ]);
  },
} satisfies RowKind<AgentTensors>;

const isTensorRow = (row: unknown): row is TensorRow => isRowOf(row, 5, 2);
