import { withoutSecrets } from '../../../base/secrets/index.ts';

/** Fields of a message that came from somebody else's process: nothing is trusted. */
export type MessageFields = Readonly<Record<string, unknown>>;

/** Why a line is no message. */
export interface Wrong {
  readonly wrong: string;
  /** It is not even in the form of a message. */
  readonly garbage?: boolean;
}

const MAX_TEXT = 1000;
const MAX_NAME = 500;

export const number = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** A size or a count. */
export const isAmount = (value: unknown): value is number => (number(value) ?? -1) >= 0;

export const text = (value: unknown): string =>
  typeof value === 'string' ? cut(value, MAX_TEXT) : '';

export const shortName = (name: string): string => cut(name, MAX_NAME);

/** Secrets go before the cut, as half of one might not be known for one. */
const cut = (said: string, most: number): string =>
  said.length > most ? withoutSecrets(said.slice(0, 4 * most)).slice(0, most) : said;

/** The good ones among the first `most`; all others are counted. */
export function goodOnes<A, B extends A>(
  all: readonly A[],
  most: number,
  isGood: (one: A) => one is B,
) {
  const good = all.slice(0, most).filter(isGood);
  const refused = all.length - good.length;
  return { good, refused: refused > 0 ? { refused } : {} };
}

/** Whether a row has so many texts, then so many sizes and counts. */
export function isRowOf(row: unknown, texts: number, amounts: number): boolean {
  if (!Array.isArray(row) || row.length !== texts + amounts) return false;
  const isName = (one: unknown) => typeof one === 'string' && one.length <= MAX_NAME;
  return row.slice(0, texts).every(isName) && row.slice(texts).every(isAmount);
}
