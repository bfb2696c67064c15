import { locate } from '../../open/locate.ts';
import { tell } from './terminal.ts';

/** What was named, or the newest recording, which is then said. */
export function orNewest(path: string | undefined): string {
  if (path !== undefined) return path;
  const newest = locate(undefined).path;
  tell(`highwater: ${newest}, the newest recording\n`);
  return newest;
}
