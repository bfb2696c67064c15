import { UserError } from '../../base/errors.ts';
import type { MomentChoice } from '../../model/allocations/live.ts';

/** Reads export's `--at`: `peak`, an event's number as 1234, or seconds as 1.5s. */
export function parseMoment(text: string): MomentChoice {
  if (text === 'peak') return 'peak';
  if (/^\d+$/.test(text)) return { event: Number(text) };
  const seconds = /^(\d+(?:\.\d+)?)\s*s$/.exec(text)?.[1];
  if (seconds !== undefined) return { seconds: Number(seconds) };
  throw new UserError(`'${text}' is no moment`, {
    hint: 'give peak, the number of an event as 1234, or seconds as 1.5s',
  });
}

/** When processes tell their sizes: `exit` or `iteration=20`. */
export function parseSizesMoment(text: string): string {
  if (text === 'exit' || /^iteration=\d{1,12}$/.test(text)) return text;
  throw new UserError(`'${text}' is no moment`, { hint: 'write exit or iteration=20' });
}
