import { group } from 'd3-array';
import { SECOND_NS } from '../../../base/time.ts';
import type { AgentWord } from './agent-word.ts';
import type { HeldRow } from './held.ts';
import type { HostPart, HostPartName } from './part.ts';

export const PINNED = 'pinned';
/** What torch's allocator took for pinned tensors beyond what they asked for. */
export const ROUNDING = 'pinned rounding';
const MOST_NAMED = 5;
const OF_TENSORS: Readonly<Record<string, HostPartName>> = {
  parameter: 'parameters',
  gradient: 'gradients',
  'optimizer state': 'optimizer state',
  buffer: 'tensors',
  'with graph': 'tensors',
  tensor: 'tensors',
};

/** What is pinned lies in mappings of its own. */
const isAnonymous = ({ category }: HeldRow) => category !== PINNED && category !== ROUNDING;

/** Anonymous memory by the process's own word, of that moment or nearby: none can have more than is there. */
export function inside(anonymous: readonly HostPart[], word: AgentWord, ns: number): HostPart[] {
  const { malloc, python, betweenSteps, imported, caches } = word;
  const isOther = (row: HeldRow) => isAnonymous(row) && !isCached(row, caches);
  const held = word.held && { ...word.held, rows: word.held.rows.filter(isOther) };
  let left = anonymous.reduce((sum, { bytes }) => sum + bytes, 0);
  const parts: HostPart[] = [];
  const take = (what: HostPartName, told: number, secondsOff: number, of: HostPart['of'] = []) => {
    const bytes = Math.max(0, Math.min(told, left));
    left -= bytes;
    parts.push({ what, bytes, from: 'agent', secondsOff, of });
    return bytes;
  };
  let named = 0;
  if (caches.length > 0) {
    const secondsOff = Math.max(...caches.map((one) => (one.ns - ns) / SECOND_NS));
    const of = caches.map((one) => ({
      name: `${one.container} of ${one.entries}, held by ${one.holder}`,
      bytes: one.bytes,
    }));
    named += take('caches', total(caches), secondsOff, of);
  }
  const groups = group(
    held?.rows ?? [],
    ({ category }) => OF_TENSORS[category] ?? 'arrays and containers',
  );
  for (const [what, rows] of groups) {
    const large = rows.map((row) => ({ ...row, bytes: row.bytes - row.small }));
    named += take(what, total(large), held!.secondsOff, names(large, what));
  }
  if (python) {
    const small = (held?.rows ?? []).map((row) => ({ ...row, bytes: row.small }));
    const imports = Math.min(imported.python, python.inUse);
    const of = [...asImported(imports), ...names(small, 'python objects')];
    take('python objects', python.inUse, python.secondsOff, of);
    take('python free', python.free, python.secondsOff);
  }
  if (malloc) {
    const besides = Math.max(0, malloc.inUse - named);
    const step = betweenSteps === null ? 0 : Math.max(0, besides - betweenSteps);
    if (step > 0) take('running step', step, malloc.secondsOff);
    const rest = besides - step;
    const imports = Math.min(imported.malloc, rest);
    // Of a process with tensors of which nobody looked between steps, the two are not told apart.
    const tensors = (held?.rows ?? []).some(({ category }) => category in OF_TENSORS);
    const what = tensors && betweenSteps === null ? 'step or libraries' : 'malloc in use';
    take(what, rest, malloc.secondsOff, asImported(imports));
    take('malloc free', malloc.free, malloc.secondsOff);
  }
  return [...parts, { what: 'remainder', bytes: left, from: 'mappings', secondsOff: null, of: [] }];
}

const asImported = (bytes: number): HostPart['of'] =>
  bytes > 0 ? [{ name: 'there when its framework had been imported', bytes }] : [];

/** Counted as what a cache holds, by the container that its tensors lie in. */
function isCached({ category, holder }: HeldRow, caches: AgentWord['caches']): boolean {
  if (category !== 'tensor') return false;
  const plain = withoutCounts(holder);
  return caches.some((one) => plain.endsWith(` ${withoutCounts(one.holder)}`));
}

/** How many a container has is part of its name. */
const withoutCounts = (holder: string) => holder.replace(/ of \d+ /g, ' ');

const total = (rows: readonly { readonly bytes: number }[]) =>
  rows.reduce((sum, { bytes }) => sum + bytes, 0);

/** The largest holders; of parameters and their like all are one. */
function names(rows: readonly HeldRow[], what: HostPartName): HostPart['of'] {
  if (what === 'parameters' || what === 'gradients' || what === 'optimizer state') {
    return rows.map((row) => ({ name: `${row.count} × ${row.what}`, bytes: row.bytes }));
  }
  return [...rows]
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, MOST_NAMED)
    .map((row) => ({ name: heldName(row), bytes: row.bytes }));
}

export function heldName({ category, what, holder, count }: HeldRow): string {
  const kind = category in OF_TENSORS || category === PINNED ? `${count} × ${what}` : what;
  const graph = category === 'with graph' ? ' with their graphs' : '';
  const buffer = category === 'buffer' ? ', buffers of modules' : '';
  return `${kind}${graph}${buffer}${holder === '' ? '' : `, held by ${holder}`}`;
}
