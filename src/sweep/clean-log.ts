import { closeSync, openSync, readSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { withoutSecrets } from '../base/secrets/index.ts';

/** As much is read at once; a secret is found in what a line has of it. */
const PIECE_BYTES = 1 << 20;
const LINE_FEED = 10;

/**
 * Takes secrets out of a run's log, which people pass on with the sweep. The command writes it itself, so that can only be
 * done when the run has ended. Bytes that are no text stay as they are.
 */
export async function cleanLog(path: string): Promise<void> {
  const clean = `${path}.new`;
  rmSync(clean, { force: true });
  const [from, to] = [openSync(path, 'r'), openSync(clean, 'wx', statSync(path).mode & 0o777)];
  let changed = false;
  try {
    for (const piece of pieces(from)) {
      const text = piece.toString('latin1');
      const kept = piece.includes(0) ? text : withoutSecrets(text);
      changed ||= kept !== text;
      const bytes = Buffer.from(kept, 'latin1');
      for (let done = 0; done < bytes.length; ) done += writeSync(to, bytes, done);
      await setImmediate(); // other runs go on
    }
  } finally {
    closeSync(from);
    closeSync(to);
  }
  if (changed) renameSync(clean, path);
  else rmSync(clean);
}

/** Whole lines, as far as one is not longer than a piece. */
function* pieces(fd: number): Generator<Buffer> {
  const buffer = Buffer.alloc(PIECE_BYTES);
  let held = 0;
  for (;;) {
    const read = readSync(fd, buffer, held, buffer.length - held, null);
    const filled = held + read;
    const end = buffer.subarray(0, filled).lastIndexOf(LINE_FEED) + 1;
    const cut = read === 0 || end === 0 ? filled : end;
    if (cut > 0) yield buffer.subarray(0, cut);
    if (read === 0) return;
    buffer.copyWithin(0, cut, filled);
    held = filled - cut;
  }
}
