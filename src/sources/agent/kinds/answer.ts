import type { Wrong } from './fields.ts';
import type { MessageKind } from './kind.ts';

export interface AgentAnswer {
  readonly type: 'answer';
  /** Of the request. */
  readonly id: number;
  readonly what: string;
  /** As it was given: whoever asked knows what to make of it. */
  readonly value?: unknown;
  /** One line: why there is no value. */
  readonly error?: string;
}

const MAX_ERROR = 1000;

export const answerKind = {
  type: 'answer',
  parse({ id, what, value, error }): AgentAnswer | Wrong {
    if (typeof id !== 'number' || typeof what !== 'string') return { wrong: 'answer without id' };
    if (typeof error === 'string') {
      return { type: 'answer', id, what, error: error.slice(0, MAX_ERROR) };
    }
    return { type: 'answer', id, what, value };
  },
} satisfies MessageKind<AgentAnswer>;
