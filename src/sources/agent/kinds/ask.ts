import type { Wrong } from './fields.ts';
import type { MessageKind } from './kind.ts';

/** From `highwater sizes --pid` and the like, on a connection of its own: without a hello. */
export interface Ask {
  readonly type: 'ask';
  readonly pid: number;
  readonly what: string;
  /** As they were given: the agent that is asked knows what to make of them. */
  readonly options: object;
}

/** What an agent can be asked, by name. */
export const QUESTION = /^[a-z][a-z0-9_]{0,39}$/;

export const askKind = {
  type: 'ask',
  parse({ pid, what, options }): Ask | Wrong {
    if (typeof pid !== 'number' || typeof what !== 'string' || !QUESTION.test(what)) {
      return { wrong: 'ask without pid or what' };
    }
    const given = typeof options === 'object' && options !== null ? options : {};
    return { type: 'ask', pid, what, options: given };
  },
} satisfies MessageKind<Ask>;
