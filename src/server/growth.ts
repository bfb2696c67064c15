import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Recording } from '../model/recording.ts';

/** A recorder writes at least once a second: after this silence it is gone. */
const SILENCE_MS = 8000;

/** Whether a recorder may still be writing it: it was recorded, and nobody noted its end. */
export const mayGrow = ({ run }: Recording): boolean =>
  run.subject !== 'import' && run.endedAt === null;

/** Whether something was written to the folder a moment ago. */
export function growsNow(folder: string): boolean {
  try {
    const changed = readdirSync(folder).map((name) => statSync(join(folder, name)).mtimeMs);
    return Date.now() - Math.max(...changed) < SILENCE_MS;
  } catch {
    return false;
  }
}

/** Changes whenever anything is appended to a recording's folder; null where it is no folder. */
export function signatureOf(folder: string): string | null {
  try {
    return readdirSync(folder)
      .sort()
      .map((name) => {
        const { size, mtimeMs } = statSync(join(folder, name));
        return `${name} ${size} ${mtimeMs}`;
      })
      .join('\n');
  } catch {
    return null;
  }
}
