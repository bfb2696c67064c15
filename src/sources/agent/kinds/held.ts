import { TABLES } from '../../../model/schema.ts';
import { goodOnes, isRowOf, number, type Wrong } from './fields.ts';
import type { MeasuredMessage, RowKind } from './kind.ts';

type HeldRow = readonly [
  category: string,
  what: string,
  holder: string,
  count: number,
  bytes: number,
  small: number,
];

/** Who holds the host's memory in a process that is larger than before: tensors, arrays, texts, containers. */
export interface AgentHeld extends MeasuredMessage {
  readonly type: 'held';
  readonly rows: readonly HeldRow[];
}

export const heldKind = {
  type: 'held',
  limits: { perMessage: 100, perRecording: 100_000 },
  table: TABLES.held,
  parse(fields): AgentHeld | Wrong {
    const time = number(fields.time);
    if (time === null) return { wrong: 'held without time' };
    if (!Array.isArray(fields.rows)) return { wrong: 'held without rows' };
    const { good, refused } = goodOnes(fields.rows, this.limits.perMessage, isHeldRow);
    return { type: 'held', time, rows: good, ...refused };
  },
  rows({ message, time, pid, rank }, intern) {
    return message.rows.map(([category, what, holder, ...amounts]) => [
      ...[time, pid, rank],
      ...[category, what, holder].map(intern),
      ...amounts,
    ]);
  },
} satisfies RowKind<AgentHeld>;

const isHeldRow = (row: unknown): row is HeldRow => isRowOf(row, 3, 3);
