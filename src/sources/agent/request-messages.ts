/**
 * Messages about requests: an asker's to the recorder, and an agent's answer. Their values are opaque
 * here: whoever asked knows what to make of them.
 */
import { type Fields, number, type Wrong } from './fields.ts';

/** From `highwater sizes --pid` and the like, on a connection of its own: without a hello. */
export interface Ask {
  readonly type: 'ask';
  readonly pid: number;
  readonly what: string;
  readonly options: object;
}

export interface AgentAnswer {
  readonly type: 'answer';
  /** Of the request. */
  readonly id: number;
  readonly what: string;
  readonly value?: unknown;
  /** One line: why there is no value. */
  readonly error?: string;
}

/** What a process holds, told unasked at a moment that was named before (HIGHWATER_SIZES). */
export interface AgentSizes {
  readonly type: 'sizes';
  readonly time: number;
  /** `exit`, or `iteration 5`. */
  readonly at: string;
  readonly value: unknown;
}

const WHAT = /^[a-z][a-z0-9_]{0,39}$/;
const MAX_ERROR = 1000;

export function parseAsk({ pid, what, options }: Fields): Ask | Wrong {
  if (typeof pid !== 'number' || typeof what !== 'string' || !WHAT.test(what)) {
    return { wrong: 'ask without pid or what' };
  }
  const given = typeof options === 'object' && options !== null ? options : {};
  return { type: 'ask', pid, what, options: given };
}

export function parseAnswer({ id, what, value, error }: Fields): AgentAnswer | Wrong {
  if (typeof id !== 'number' || typeof what !== 'string') return { wrong: 'answer without id' };
  if (typeof error === 'string') {
    return { type: 'answer', id, what, error: error.slice(0, MAX_ERROR) };
  }
  return { type: 'answer', id, what, value };
}

export function parseSizesMessage({ time, at, value }: Fields): AgentSizes | Wrong {
  const moment = number(time);
  if (moment === null) return { wrong: 'sizes without time' };
  if (typeof at !== 'string') return { wrong: 'sizes without a moment' };
  return { type: 'sizes', time: moment, at: at.slice(0, 100), value };
}

/** What an agent says it answers to. */
export function parseAnswers(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter((one) => typeof one === 'string' && WHAT.test(one)).slice(0, 20);
}
