import { parseConf } from '../../../analyses/allocations/replay/conf.ts';
import { parseCard } from '../../../analyses/allocations/what-if/cards.ts';
import { parseContext, parseLimit } from '../../../analyses/allocations/what-if/limits.ts';
import { describeError, UserError } from '../../../base/errors.ts';
import type { PageState } from '../../address.ts';
import type { Query } from '../../store.ts';

/** What the address asks for: what can be read of it, and what is wrong with the rest. */
export interface WhatIfState {
  /** Settings besides the usual ones. */
  readonly settings: readonly string[];
  readonly settingsError: string | null;
  readonly card: Written;
  /** Of the card, what is not torch's. */
  readonly context: Written;
  readonly limit: Written;
  readonly smallest: boolean;
}

/** A field as it was filled. */
interface Written {
  /** null: nothing, or nothing that can be asked for. */
  readonly text: string | null;
  readonly error: string | null;
}

/** Fields of one value. */
export type FieldName = 'card' | 'context' | 'limit';

/** Between settings, none of which has it. */
const BETWEEN = ';';

export function whatIfState(state: PageState): WhatIfState {
  const named = (state.set ?? '')
    .split(BETWEEN)
    .map((text) => text.trim())
    .filter(Boolean);
  const errors = named.map(settingsError);
  const written = (name: FieldName): Written => {
    const text = state[name] ?? '';
    const error = text === '' ? null : fieldError(name, text, state);
    return { text: text === '' || error !== null ? null : text, error };
  };
  const card = written('card');
  return {
    settings: named.filter((_, at) => errors[at] === null),
    settingsError: errors.find((error) => error !== null) ?? null,
    card,
    // Without a card there is nothing to take it off.
    context: card.text === null ? { text: null, error: null } : written('context'),
    limit: written('limit'),
    smallest: state.smallest === '1',
  };
}

export const settingsText = (settings: readonly string[]) => [...new Set(settings)].join(BETWEEN);

/** As the server is asked. */
export function queryOf(asked: WhatIfState, trace: string | undefined): Query {
  return {
    set: settingsText(asked.settings) || null,
    card: asked.card.text,
    context: asked.context.text,
    limit: asked.limit.text,
    smallest: asked.smallest ? 1 : null,
    trace,
  };
}

/** Why it cannot be read, in one line; null: it can. */
export const settingsError = (text: string) => reason(() => parseConf(text));

/** Why a field cannot be asked for beside the others. */
export function fieldError(name: FieldName, text: string, others: PageState): string | null {
  const wrong = reason(() => READ[name](text));
  if (wrong !== null) return wrong;
  // Where the address has both, the card counts.
  return name === 'limit' && (others.card ?? '') !== '' ? BOTH : null;
}

const BOTH = 'a card or a limit, not both: empty one of them';
const READ = { card: parseCard, context: parseContext, limit: parseLimit };

function reason(read: () => unknown): string | null {
  try {
    read();
    return null;
  } catch (error) {
    const hint = error instanceof UserError && error.hint ? `: ${error.hint}` : '';
    return `${describeError(error)}${hint}`;
  }
}
