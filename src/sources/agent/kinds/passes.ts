import { TABLES } from '../../../model/schema.ts';
import { goodOnes, isRowOf, number, type Wrong } from './fields.ts';
import type { MeasuredMessage, RowKind } from './kind.ts';

type PassesRow = readonly [
  what: string,
  module: string,
  shape: string,
  passes: number,
  tokens: number,
  ns: number,
  longest: number,
  peak: number,
  held: number,
];

/** What ran since the last message where no gradients are taken: forward passes, calls of `generate`, replays of CUDA graphs. */
export interface AgentPasses extends MeasuredMessage {
  readonly type: 'passes';
  readonly rows: readonly PassesRow[];
}

export const passesKind = {
  type: 'passes',
  limits: { perMessage: 100, perRecording: 200_000 },
  table: TABLES.passes,
  parse(fields): AgentPasses | Wrong {
    const time = number(fields.time);
    if (time === null) return { wrong: 'passes without time' };
    if (!Array.isArray(fields.rows)) return { wrong: 'passes without rows' };
    const { good, refused } = goodOnes(fields.rows, this.limits.perMessage, isPassesRow);
    return { type: 'passes', time, rows: good, ...refused };
  },
  rows({ message, time, pid, rank }, intern) {
    return message.rows.map(([what, module, shape, ...amounts]) => [
      ...[time, pid, rank],
      ...[what, module, shape].map(intern),
      ...amounts,
    ]);
  },
} satisfies RowKind<AgentPasses>;

const isPassesRow = (row: unknown): row is PassesRow => isRowOf(row, 3, 6);
