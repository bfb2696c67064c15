import { UserError } from '../../base/errors.ts';

/** Reads `batch=48,size=512`. */
export function parsePlace(text: string): Record<string, string> {
  const pairs = text.split(',').map((pair) => /^\s*([^=\s]+)\s*=\s*(.+?)\s*$/.exec(pair));
  if (pairs.some((pair) => pair === null)) {
    throw new UserError(`'${text}' is no combination`, { hint: 'write it as batch=48,size=512' });
  }
  return Object.fromEntries(pairs.map((pair) => [pair![1]!, pair![2]!]));
}
