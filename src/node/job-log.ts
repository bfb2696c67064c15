import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** A job that ended, in one line. Bytes; null where the kernel did not tell. */
export interface EndedJob {
  readonly job: string;
  readonly manager: string;
  readonly user: number | null;
  readonly host: string;
  readonly seen: string;
  readonly ended: string;
  /** The kernel's exact peak, cache included. */
  readonly peakBytes: number | null;
  /** The most that could not be taken back, of one look a second. */
  readonly heldPeakBytes: number | null;
  readonly limitBytes: number | null;
  readonly requestedBytes: number | null;
  readonly oomKills: number | null;
  /** The most on each card, by its index. */
  readonly cards: Readonly<Record<string, number>>;
}

const DAY_MS = 86_400_000;
const NAME = /^(\d{4}-\d\d-\d\d)\.ndjson$/;

/**
 * Files `FOLDER/UID/DATE.ndjson`. The folders are ours, so that nobody can put a link where we write; each file belongs to the user and is
 * readable by that user alone.
 */
export function noteEnded(folder: string, ended: EndedJob, nowMs: number): void {
  const own = join(folder, String(ended.user ?? 'unknown'));
  mkdirSync(own, { recursive: true, mode: 0o755 });
  const day = new Date(nowMs).toISOString().slice(0, 10);
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  const fd = openSync(
    join(own, `${day}.ndjson`),
    O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW,
    0o600,
  );
  try {
    fchmodSync(fd, 0o600);
    if (ended.user !== null && process.getuid?.() === 0) fchownSync(fd, ended.user, 0);
    writeSync(fd, `${JSON.stringify(ended)}\n`);
  } finally {
    closeSync(fd);
  }
}

/** Takes away what is older than so many days. */
export function forgetOld(folder: string, days: number, nowMs: number): void {
  const oldest = new Date(nowMs - days * DAY_MS).toISOString().slice(0, 10);
  for (const user of names(folder)) {
    for (const name of names(join(folder, user))) {
      const day = NAME.exec(name)?.[1];
      if (day !== undefined && day < oldest) rmSync(join(folder, user, name), { force: true });
    }
  }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
