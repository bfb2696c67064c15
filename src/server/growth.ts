import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Recording } from '../model/recording.ts';

/** Whether a recorder may still be writing it: it was recorded, and nobody noted its end. */
export const mayGrow = ({ run }: Recording): boolean =>
  run.subject !== 'import' && run.endedAt === null;

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
