import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { count } from '../../base/text.ts';
import { folderFiles, orUserError } from '../../model/disk/files.ts';
import { openRecording } from '../../model/disk/reader.ts';
import { saveRecording } from '../../model/disk/save.ts';
import { redactRecording } from '../../model/redacted.ts';

/** Does something with a redacted copy of a recording, which is gone afterwards; `beside`: where there is room. */
export function withRedacted<T>(folder: string, beside: string, work: (copy: string) => T): T {
  const whole = openRecording(folderFiles(folder));
  const recording = redactRecording(whole, users(), [hostname()]);
  const { snapshots = [], heaps = [] } = whole.run;
  const left = [count(snapshots.length, 'memory snapshot'), count(heaps.length, 'heap')];
  const what = left.filter((said) => !said.startsWith('0 ')).join(' and ');
  if (what)
    process.stderr.write(`highwater: ${what} left out, as their texts cannot be redacted\n`);
  const copy = orUserError(beside, () => mkdtempSync(`${beside}.redacted-`), 'write');
  try {
    saveRecording(recording, copy);
    return work(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** A user id without a name, as in many containers, is no failure. */
function users(): string[] {
  try {
    return [userInfo().username];
  } catch {
    return [];
  }
}
