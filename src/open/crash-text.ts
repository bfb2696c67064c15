import { basename } from 'node:path';
import { crashTextOf } from '../formats/log-lines/index.ts';
import type { CrashText } from '../model/out-of-memory.ts';
import { readForeign } from './foreign-file.ts';

/** What a log says about memory that ran out. */
export const readCrashText = (path: string): CrashText =>
  crashTextOf(basename(path), readForeign(path).pieces);
