import { lastUpTo } from '../base/search.ts';
import type { Recording } from './recording.ts';

/** What is counted of a program that serves. */
export type ServedUnit = 'request' | 'generate' | 'forward' | 'replay';

/** How many a program had served up to a moment; as many as were seen. */
export function servedCount(recording: Recording, unit: ServedUnit): (ns: number) => number {
  const { times, counts } =
    (unit === 'request' ? loggedRequests(recording) : passed(recording, unit)) ?? NONE;
  return (ns) => counts[lastUpTo(times, ns)] ?? 0;
}

/** How many there were by then: of lines that are told thinned out, each has its number. */
interface Counted {
  readonly times: readonly number[];
  readonly counts: readonly number[];
}

const NONE: Counted = { times: [], counts: [] };
/** A line about its arrival tells when somebody asked, not when it was served. */
const ARRIVED = 'received';

/** Requests that the log names, by the form of line that there are most of: a server may print several for each. null: it names none. */
export function loggedRequests(recording: Recording): Counted | null {
  const marks = recording.table('marks');
  const [times, kinds] = [marks.f64('time'), marks.u32('kind')];
  const [names, numbers] = [marks.u32('name'), marks.f64('iteration')];
  const forms = new Map<string, { times: number[]; counts: number[] }>();
  for (const [row, kind] of kinds.entries()) {
    if (recording.text(kind) !== 'request') continue;
    const form = recording.text(names[row]!);
    const known = forms.get(form) ?? { times: [], counts: [] };
    forms.set(form, known);
    known.times.push(times[row]!);
    known.counts.push(Math.max(known.counts.at(-1) ?? 0, numbers[row]!));
  }
  const most = ([, { counts }]: [string, Counted]) => counts.at(-1)!;
  const [first] = [...forms].sort(
    (a, b) => most(b) - most(a) || Number(a[0] === ARRIVED) - Number(b[0] === ARRIVED),
  );
  return first?.[1] ?? null;
}

function passed(recording: Recording, unit: ServedUnit): Counted {
  const table = recording.table('passes');
  const [times, whats, passes] = [table.f64('time'), table.u32('what'), table.f64('passes')];
  const found = { times: [] as number[], counts: [] as number[] };
  let count = 0;
  for (let row = 0; row < table.rows; row++) {
    if (recording.text(whats[row]!) !== unit) continue;
    count += passes[row]!;
    found.times.push(times[row]!);
    found.counts.push(count);
  }
  return found;
}
