import { Option } from 'commander';
import { UserError } from '../../../base/errors.ts';
import { argument } from '../../flags/parse.ts';

/** When processes tell their sizes: `exit` or `iteration=20`. */
export function parseSizesMoment(text: string): string {
  if (text === 'exit' || /^iteration=\d{1,12}$/.test(text)) return text;
  throw new UserError(`'${text}' is no moment`, { hint: 'write exit or iteration=20' });
}

/** `--sizes`, alone or with a moment. */
export const sizesOption = (about: string): Option =>
  new Option('--sizes [moment]', about).argParser(argument(parseSizesMoment)).preset('exit');
