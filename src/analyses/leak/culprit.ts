import type { LeakCause, LeakKind } from './kind/rule.ts';
import type { Shelf } from './shelf.ts';
import type { Suspect } from './suspect.ts';

/** Who is to blame for a leak: which process, what grows in it or stays behind it, and where that is. */
export interface Culprit extends Omit<Suspect, 'pids'> {
  readonly kind: LeakKind;
  /** What grows, or was left behind: `list of 120 in losses of __main__`, `/dev/shm/torch_*`, a daemon's command. */
  readonly name: string | null;
  /** `train.py:12`, `__main__.losses`; null where it is not known. */
  readonly where: string | null;
}

/** null where nothing leaks. */
export function culpritOf(
  suspect: Suspect | null,
  shelf: Shelf | null,
  { kind, name, where, process }: LeakCause,
): Culprit | null {
  if (kind === null) return null;
  const what = { kind, name, where };
  if (suspect) {
    const { pids, ...grows } = suspect;
    return { ...grows, process: grows.process ?? process, ...what };
  }
  const alone = { role: null, members: null, other: null };
  return { series: shelf?.series ?? 'host.held', measure: 'held', ...alone, process, ...what };
}
