import { TABLES } from '../../../model/schema.ts';
import { goodOnes, isAmount, number, type Wrong } from './fields.ts';
import type { MeasuredMessage, RowKind } from './kind.ts';

/** What a process read off itself at a moment: sizes in bytes, and counts. */
export interface AgentCounters extends MeasuredMessage {
  readonly type: 'counters';
  readonly values: Readonly<Record<string, number>>;
}

const NAME = /^[a-z][a-z0-9_]{0,39}\.[a-z0-9_.]{1,60}$/;

export const countersKind = {
  type: 'counters',
  // Agents tell them more and more rarely.
  limits: { perMessage: 200, perRecording: { shareOfDisk: 0.1, rowBytes: 48 } },
  table: TABLES.counters,
  parse(fields): AgentCounters | Wrong {
    const time = number(fields.time);
    if (time === null) return { wrong: 'counters without time' };
    const { values } = fields;
    if (typeof values !== 'object' || values === null) return { wrong: 'counters without values' };
    const { good, refused } = goodOnes(Object.entries(values), this.limits.perMessage, isCounter);
    return { type: 'counters', time, values: Object.fromEntries(good), ...refused };
  },
  rows({ message, time, pid, rank }, intern) {
    return Object.entries(message.values).map(([name, value]) => [
      ...[time, pid, rank],
      ...[intern(name), value],
    ]);
  },
} satisfies RowKind<AgentCounters>;

const isCounter = (entry: [string, unknown]): entry is [string, number] =>
  NAME.test(entry[0]) && isAmount(entry[1]);
