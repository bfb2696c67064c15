import { TABLES } from '../../../model/schema.ts';
import { goodOnes, isRowOf, number, type Wrong } from './fields.ts';
import type { MeasuredMessage, RowKind } from './kind.ts';

type MomentRow = readonly [
  of: string,
  place: string,
  function_: string,
  pass: string,
  module: string,
  grad: number,
];

/** What a program was doing when it, or torch on a card, was higher than before. */
export interface AgentMoment extends MeasuredMessage {
  readonly type: 'moment';
  readonly rows: readonly MomentRow[];
}

export const momentKind = {
  type: 'moment',
  limits: { perMessage: 100, perRecording: 50_000 },
  table: TABLES.moments,
  parse(fields): AgentMoment | Wrong {
    const time = number(fields.time);
    if (time === null) return { wrong: 'moment without time' };
    if (!Array.isArray(fields.rows)) return { wrong: 'moment without rows' };
    const { good, refused } = goodOnes(fields.rows, this.limits.perMessage, isMomentRow);
    return { type: 'moment', time, rows: good, ...refused };
  },
  rows({ message, time, pid, rank }, intern) {
    return message.rows.map(([of, place, name, pass, module, grad]) => [
      ...[time, pid, rank],
      ...[of, place, name, pass, module].map(intern),
      grad,
    ]);
  },
} satisfies RowKind<AgentMoment>;

const isMomentRow = (row: unknown): row is MomentRow => isRowOf(row, 5, 1);
