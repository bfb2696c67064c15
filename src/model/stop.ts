import { type JsonCheck, number, orNull, shape, text } from '../base/checks.ts';

/** Why a recording ends before what it records does. */
export interface StopInfo {
  /** When nothing more could be written, in ns since the recording's start. */
  ns: number;
  /** In words: no space left on the disk … */
  why: string;
  /** The operating system's code: ENOSPC, EDQUOT, EFBIG …; null: another failure. */
  code: string | null;
}

export const isStop: JsonCheck = shape({ ns: number, why: text, code: orNull(text) });
