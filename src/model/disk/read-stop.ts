import { isObject } from '../../base/checks.ts';
import { FormatError } from '../../base/errors.ts';
import { isStop, type StopInfo } from '../stop.ts';
import type { Files } from './recording-files.ts';

/**
 * `stopped.json`: why a recording ends before what it records does. It is there, blank, from the start, so
 * that a full disk has room for it: what is to be written then replaces bytes that are the file's already.
 * It goes when run.json is whole and says the same.
 */
export const STOP_FILE = 'stopped.json';

/** null: there is none, or nothing stands in it. */
export function readStop(files: Files): StopInfo | null {
  try {
    const bytes = files.read(STOP_FILE);
    const said: unknown = bytes && JSON.parse(new TextDecoder().decode(bytes));
    return isObject(said) && isStop(said) ? (said as unknown as StopInfo) : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof FormatError) return null;
    throw error;
  }
}
