import { mkdtempSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A folder of our own that only this user can enter. Where the temporary folder cannot be written (a read-only root), the next
 * place that can: the session's, memory, the home. `longest` leaves out places whose path has more characters.
 */
export function makeTemporaryFolder(prefix: string, longest = Number.POSITIVE_INFINITY): string {
  const places = [tmpdir(), '/tmp', process.env.XDG_RUNTIME_DIR, '/dev/shm', homedir()];
  let failure: unknown;
  for (const place of new Set(places)) {
    if (!place || place.length > longest) continue;
    try {
      return mkdtempSync(join(place, prefix));
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}
