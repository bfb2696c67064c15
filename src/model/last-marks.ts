interface Marked {
  readonly kind: string;
  readonly name: string;
  readonly seconds: number;
}

/** What a moment lies in: the epoch, the iteration before it, and the phase that goes on, each by its mark; none where none was told. */
export interface LastMarks<T> {
  readonly epoch: T | null;
  readonly iteration: T | null;
  readonly phase: T | null;
}

export function lastMarks<T extends Marked>(marks: readonly T[], at: number): LastMarks<T> {
  // What several processes, and a log beside them, tell need not come in the order of its time.
  const last = (wanted: string) => {
    let found: T | null = null;
    for (const mark of marks) {
      if (mark.kind !== wanted || mark.seconds > at) continue;
      if (!found || mark.seconds >= found.seconds) found = mark;
    }
    return found;
  };
  const [epoch, iteration] = [last('epoch'), last('iteration')];
  // Of the epoch before: its number would be taken for one of this epoch.
  const isOlder = epoch !== null && iteration !== null && iteration.seconds < epoch.seconds;
  return { epoch, iteration: isOlder ? null : iteration, phase: openPhase(marks, at) };
}

/** A phase ends with a mark of its name after a slash; one that is never ended, with the next. */
function openPhase<T extends Marked>(marks: readonly T[], at: number): T | null {
  const open: T[] = [];
  for (const mark of marks) {
    if (mark.kind !== 'phase' || mark.seconds > at) continue;
    const begun = mark.name.startsWith('/')
      ? open.findLastIndex(({ name }) => `/${name}` === mark.name)
      : -1;
    if (begun >= 0) open.length = begun;
    else if (!mark.name.startsWith('/')) open.push(mark);
  }
  return open.at(-1) ?? null;
}
