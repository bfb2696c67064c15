/** Fields of a message that came from somebody else's process: nothing is trusted. */
export type Fields = Readonly<Record<string, unknown>>;

/** Why a line is no message. */
export interface Wrong {
  readonly wrong: string;
}

const MAX_TEXT = 1000;

export const number = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** A size or a count. */
export const isAmount = (value: unknown): value is number => (number(value) ?? -1) >= 0;

export const text = (value: unknown): string =>
  typeof value === 'string' ? value.slice(0, MAX_TEXT) : '';
