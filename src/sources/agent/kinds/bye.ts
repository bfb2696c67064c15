import { number } from './fields.ts';
import type { MessageKind } from './kind.ts';

/** Last line of an orderly end; `dropped` counts messages that a full queue lost. */
export interface Bye {
  readonly type: 'bye';
  readonly dropped: number;
}

export const byeKind = {
  type: 'bye',
  parse: (fields): Bye => ({ type: 'bye', dropped: number(fields.dropped) ?? 0 }),
} satisfies MessageKind<Bye>;
