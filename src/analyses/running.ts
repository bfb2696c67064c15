import { SECOND_NS } from '../base/time.ts';
import type { Recording } from '../model/recording.ts';

/** What a Python program was doing at a high: what it told itself. Empty texts: not known. */
export interface Running {
  /** `train.py:120`, the innermost line of the program itself in its main thread. */
  readonly place: string;
  readonly function: string;
  /** forward, backward, optimizer, batch, loading, saving. */
  readonly pass: string;
  /** The class of the innermost module of the program itself. */
  readonly module: string;
  /** Whether gradients were kept; null: not known. */
  readonly grad: boolean | null;
  /** How many seconds after the moment it is of. */
  readonly secondsOff: number;
}

const MOST_OFF_NS = SECOND_NS;
const GRAD: Readonly<Record<number, boolean>> = { 1: false, 2: true };

/** Nearest to a moment; null where nothing was told within a second of it. */
export function runningAt(
  recording: Recording,
  pid: number,
  what: string,
  ns: number,
): Running | null {
  const table = recording.table('moments');
  const [times, pids, grads] = [table.f64('time'), table.u32('pid'), table.f64('grad')];
  const texts = (['of', 'place', 'function', 'pass', 'module'] as const).map((name) =>
    table.u32(name),
  );
  const off = (row: number) => Math.abs(times[row]! - ns);
  let best = -1;
  for (let row = 0; row < table.rows; row++) {
    if (pids[row] !== pid || recording.text(texts[0]![row]!) !== what) continue;
    if (off(row) <= MOST_OFF_NS && (best < 0 || off(row) < off(best))) best = row;
  }
  if (best < 0) return null;
  const [, place, name, pass, module] = texts.map((column) => recording.text(column[best]!));
  return {
    place: place!,
    function: name!,
    pass: pass!,
    module: module!,
    grad: GRAD[grads[best]!] ?? null,
    secondsOff: (times[best]! - ns) / SECOND_NS,
  };
}
