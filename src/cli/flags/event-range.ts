import { UserError } from '../../base/errors.ts';
import { argument } from './parse.ts';

/** The flag for a part of a trace: `1000..2000`, `..2000`, `1000..`; the end is not part of it. */
export const EVENTS_FLAG = '--events <from..to>';
export const EVENTS_MEANING =
  'of a memory snapshot, only these events (1000..2000, 1000.. or ..2000; the end is left out)';

export const eventRange = argument((text: string) => {
  const match = /^(\d{1,15})?\.\.(\d{1,15})?$/.exec(text.trim());
  const from = Number(match?.[1] ?? 0);
  const to = match?.[2] === undefined ? Number.MAX_SAFE_INTEGER : Number(match[2]);
  if (!match || from >= to) {
    throw new UserError(`'${text}' is no range of events`, { hint: 'for example 1000..2000' });
  }
  return { from, to };
});
