import { TABLES } from '../../../model/schema.ts';
import { goodOnes, isRowOf, number, type Wrong } from './fields.ts';
import type { MeasuredMessage, RowKind } from './kind.ts';

type ObjectRow = readonly [
  kind: string,
  type: string,
  of: string,
  holder: string,
  count: number,
  grown: number,
  seconds: number,
  bytes: number,
];

/** What Python's own objects grew by: containers with more and more in them, and types. */
export interface AgentObjects extends MeasuredMessage {
  readonly type: 'objects';
  readonly rows: readonly ObjectRow[];
}

export const objectsKind = {
  type: 'objects',
  limits: { perMessage: 100, perRecording: 500_000 },
  table: TABLES.objects,
  parse(fields): AgentObjects | Wrong {
    const time = number(fields.time);
    if (time === null) return { wrong: 'objects without time' };
    if (!Array.isArray(fields.rows)) return { wrong: 'objects without rows' };
    const { good, refused } = goodOnes(fields.rows, this.limits.perMessage, isObjectRow);
    return { type: 'objects', time, rows: good, ...refused };
  },
  rows({ message, time, pid, rank }, intern) {
    return message.rows.map(([kind, type, of, holder, ...amounts]) => [
      ...[time, pid, rank],
      ...[kind, type, of, holder].map(intern),
      ...amounts,
    ]);
  },
} satisfies RowKind<AgentObjects>;

const isObjectRow = (row: unknown): row is ObjectRow => isRowOf(row, 4, 4);
