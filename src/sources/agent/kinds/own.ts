import { number, type Wrong } from './fields.ts';
import type { MessageKind } from './kind.ts';

/** Our own work inside of the program begins, or ends: what the process gains meanwhile is not the program's. */
export interface AgentOwnWork {
  readonly type: 'own';
  readonly time: number;
  readonly begins: boolean;
  /** At the end: bytes of ours that stay in the process, as it measured them itself; below 0 where some of those of earlier went. */
  readonly left?: number;
}

export const ownKind = {
  type: 'own',
  parse({ time, begins, left }): AgentOwnWork | Wrong {
    const moment = number(time);
    if (moment === null) return { wrong: 'own without time' };
    if (typeof begins !== 'boolean') return { wrong: 'own without a beginning or an end' };
    const bytes = number(left);
    return { type: 'own', time: moment, begins, ...(bytes !== null && { left: bytes }) };
  },
} satisfies MessageKind<AgentOwnWork>;
