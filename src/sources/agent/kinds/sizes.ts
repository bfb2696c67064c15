import { number, type Wrong } from './fields.ts';
import type { MessageKind } from './kind.ts';

/** What a process holds, told unasked at a moment that was named before (HIGHWATER_SIZES). */
export interface AgentSizes {
  readonly type: 'sizes';
  readonly time: number;
  /** `exit`, or `iteration 5`. */
  readonly at: string;
  /** As it was told: whoever shows it knows what to make of it. */
  readonly value: unknown;
}

export const sizesKind = {
  type: 'sizes',
  // More processes than these tell nobody more.
  limits: { perMessage: 1, perRecording: 256 },
  parse({ time, at, value }): AgentSizes | Wrong {
    const moment = number(time);
    if (moment === null) return { wrong: 'sizes without time' };
    if (typeof at !== 'string') return { wrong: 'sizes without a moment' };
    return { type: 'sizes', time: moment, at: at.slice(0, 100), value };
  },
} satisfies MessageKind<AgentSizes>;
