import type { Recording } from '../model/recording.ts';
import { timing } from './timing.ts';

/** How far a recording got that ends before what it records did, and why. */
export interface Stopped {
  /** The last sample; what came after it is not known. */
  readonly seconds: number;
  readonly why: string;
  /** The operating system's code (ENOSPC, EDQUOT, EFBIG …); null: it was killed, or failed otherwise. */
  readonly code: string | null;
}

export const KILLED = 'the recorder was killed or the machine went down';

/** null: it was recorded to its end. */
export function stopped(recording: Recording): Stopped | null {
  const { run } = recording;
  const noEnd = run.endedAt === null && run.subject !== 'import';
  if (!run.stopped && !noEnd) return null;
  const seconds = timing(recording).sampled?.last ?? 0;
  return { seconds, why: run.stopped?.why ?? KILLED, code: run.stopped?.code ?? null };
}
