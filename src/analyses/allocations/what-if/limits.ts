import { MiB, parseSize } from '../../../base/bytes.ts';
import { UserError } from '../../../base/errors.ts';

/** What a process may reserve, `20GiB`. A bare number would be bytes, of which nobody means so few. */
export function parseLimit(text: string): number {
  const bytes = parseSize(text);
  if (bytes >= 2 * MiB) return bytes;
  throw new UserError(`a limit of ${text.trim()} is too small`, { hint: 'write it as 20GiB' });
}

/** What context and libraries take of a card, `512MiB`; 0: nothing. */
export function parseContext(text: string): number {
  const bytes = parseSize(text);
  if (bytes === 0 || bytes >= MiB) return bytes;
  throw new UserError(`a context of ${text.trim()} is too small`, { hint: 'write it as 512MiB' });
}
