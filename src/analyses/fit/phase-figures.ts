import type { Recording } from '../../model/recording.ts';
import type { Series } from '../../model/series.ts';

/** A program may name any number of phases; these are the ones met first. */
const MOST = 6;

/** The highest that a series went in each phase that the program told of. */
export function phaseFigures(
  recording: Recording,
  { times, values }: Series,
): Record<string, number> {
  const found = new Map<string, number>();
  for (const { name, from, to } of stretches(recording)) {
    if (!found.has(name) && found.size === MOST) continue;
    for (let i = 0; i < times.length; i++) {
      if (times[i]! < from || times[i]! > to) continue;
      found.set(name, Math.max(found.get(name) ?? 0, values[i]!));
    }
  }
  return Object.fromEntries([...found].map(([name, bytes]) => [`phase ${name}`, bytes]));
}

/** A phase begins with a mark of its name and ends with one of `/name`. */
function stretches(recording: Recording): { name: string; from: number; to: number }[] {
  const marks = recording.table('marks');
  const [times, kinds, names] = [marks.f64('time'), marks.u32('kind'), marks.u32('name')];
  const open = new Map<string, number>();
  const found: { name: string; from: number; to: number }[] = [];
  for (let row = 0; row < marks.rows; row++) {
    if (recording.text(kinds[row]!) !== 'phase') continue;
    const name = recording.text(names[row]!);
    const from = name.startsWith('/') ? open.get(name.slice(1)) : undefined;
    if (from === undefined) open.set(name, times[row]!);
    else found.push({ name: name.slice(1), from, to: times[row]! });
  }
  return found;
}
