import type { Recording } from '../../../model/recording.ts';
import type { Pids } from './process-sums.ts';

/** Of what grows in pinned memory, at least this share: else nobody is blamed for it. */
const MOST = 0.5;

interface Held {
  readonly first: number;
  readonly last: number;
  /** When it was told last: a look has a row for each shape. */
  readonly ns: number;
  readonly firstNs: number;
  /** As it was told last: `list of 18 in batches of __main__`. */
  readonly name: string;
}

/** Who holds more and more tensors in pinned memory, by the agent's looks at new highs of the process; null: nobody was seen to. */
export function pinnedHolder(recording: Recording, only: Pids): string | null {
  const table = recording.table('held');
  const [times, pids, categories, holders] = [
    table.f64('time'),
    table.u32('pid'),
    table.u32('category'),
    table.u32('holder'),
  ];
  const bytes = table.f64('bytes');
  const found = new Map<string, Held>();
  for (let row = 0; row < table.rows; row++) {
    if (recording.text(categories[row]!) !== 'pinned' || (only && !only.has(pids[row]!))) continue;
    const name = recording.text(holders[row]!);
    // How many a container has is part of its name.
    const key = `${pids[row]} ${name.replace(/ of \d+ /, ' ')}`;
    const before = found.get(key);
    const ns = times[row]!;
    const last = (before?.ns === ns ? before.last : 0) + bytes[row]!;
    const firstNs = before?.firstNs ?? ns;
    const first = firstNs === ns ? last : before!.first;
    found.set(key, { first, last, ns, firstNs, name });
  }
  const grown = ({ first, last }: Held) => Math.max(0, last - first);
  const all = [...found.values()];
  const total = all.reduce((sum, one) => sum + grown(one), 0);
  const most = all.reduce<Held | null>((a, b) => (a && grown(a) >= grown(b) ? a : b), null);
  return most && most.name !== '' && total > 0 && grown(most) >= MOST * total ? most.name : null;
}
