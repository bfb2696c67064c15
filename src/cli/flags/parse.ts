import { InvalidArgumentError } from 'commander';
import { UserError } from '../../base/errors.ts';

/** Turns a parser that throws UserError into one whose message commander puts its option before. */
export function argument<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      if (error instanceof UserError) {
        throw new InvalidArgumentError(
          error.hint ? `${error.message}: ${error.hint}` : error.message,
        );
      }
      throw error;
    }
  };
}

/** A number within bounds, for an option. */
export function numberBetween(low: number, high: number, what: string): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (!(value >= low && value <= high)) {
      const range =
        high === Number.POSITIVE_INFINITY ? `at least ${low}` : `from ${low} to ${high}`;
      throw new InvalidArgumentError(`expected ${what} ${range}.`);
    }
    return value;
  };
}

/** The number of a process. */
export const pidNumber = numberBetween(1, 2 ** 31, 'a pid');

/** For an option that can be given several times: each word read, in the order given. */
export function several<T>(parse: (text: string) => T): (text: string, before?: T[]) => T[] {
  return (text, before = []) => [...before, parse(text)];
}
