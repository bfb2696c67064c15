import { ellipsize, printable } from '../base/text.ts';
import { readEnd } from '../model/disk/files.ts';
import type { ExitInfo } from '../model/run.ts';
import type { RunEntry } from './manifest.ts';

export type Outcome = Pick<RunEntry, 'state' | 'exitCode' | 'signal' | 'reason'>;

const TAIL_BYTES = 4096;
const REASON_WIDTH = 100;
/** Ends that were asked for: the run did what it should. */
const AS_PLANNED = /^--(stop-after|duration)\b/;

/** What became of a run that was not disturbed: from its recording, or from its recorder's code. */
export function outcome(exit: ExitInfo | null, recorderCode: number, log: string | null): Outcome {
  const lastWords = log === null ? null : lastLine(log);
  if (!exit) {
    const reason =
      lastWords?.replace(/^highwater: /, '') ?? `the recorder ended with ${recorderCode}`;
    return { state: 'failed', exitCode: recorderCode, signal: null, reason: shorten(reason) };
  }
  const { code, signal, endedBy } = exit;
  if (endedBy !== null) {
    const well = AS_PLANNED.test(endedBy);
    return { state: well ? 'done' : 'failed', exitCode: code, signal, reason: shorten(endedBy) };
  }
  if (code === 0) return { state: 'done', exitCode: 0, signal: null, reason: null };
  const what = exit.oomKilled
    ? 'killed, out of memory'
    : signal
      ? `ended by ${signal}`
      : `exit code ${code}`;
  const words = lastWords ? `: ${lastWords}` : '';
  return { state: 'failed', exitCode: code, signal, reason: shorten(what + words) };
}

const shorten = (text: string) => ellipsize(printable(text), REASON_WIDTH);

/** Programs say last why they gave up. */
function lastLine(path: string): string | null {
  try {
    const lines = new TextDecoder().decode(readEnd(path, TAIL_BYTES)).split(/[\r\n]+/);
    return lines.map((line) => line.trim()).findLast((line) => line !== '') ?? null;
  } catch {
    return null;
  }
}
