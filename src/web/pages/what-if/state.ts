import { parseConf } from '../../../analyses/allocations/replay/conf.ts';
import { parseCard } from '../../../analyses/allocations/what-if/cards.ts';
import { describeError } from '../../../base/errors.ts';
import type { PageState } from '../../address.ts';

/** What the address asks for: what can be read of it, and what is wrong with the rest. */
export interface WhatIfState {
  /** Settings besides the usual ones. */
  readonly settings: readonly string[];
  readonly card: string | null;
  readonly settingsError: string | null;
  readonly cardError: string | null;
}

/** Between settings, none of which has it. */
const BETWEEN = ';';

export function whatIfState({ set = '', card = '' }: PageState): WhatIfState {
  const named = set
    .split(BETWEEN)
    .map((text) => text.trim())
    .filter(Boolean);
  const errors = named.map(settingsError);
  const wrong = card === '' ? null : cardError(card);
  return {
    settings: named.filter((_, at) => errors[at] === null),
    card: card === '' || wrong !== null ? null : card,
    settingsError: errors.find((error) => error !== null) ?? null,
    cardError: wrong,
  };
}

export const settingsText = (settings: readonly string[]) => [...new Set(settings)].join(BETWEEN);

/** Why it cannot be read, in one line; null: it can. */
export const settingsError = (text: string) => reason(() => parseConf(text));
export const cardError = (text: string) => reason(() => parseCard(text));

function reason(read: () => unknown): string | null {
  try {
    read();
    return null;
  } catch (error) {
    return describeError(error);
  }
}
