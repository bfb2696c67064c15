import {
  type Heap,
  heapSince,
  holdersOf,
  isEarlier,
  parseWay,
  partitionOf,
  pathsTo,
  tableOf,
} from '../../analyses/heap/index.ts';
import type { HeapView } from '../../analyses/heap/view.ts';
import { sizeOf, walk } from '../../analyses/heap/walk.ts';
import { heapDifferenceVerdict } from '../../analyses/verdict/heap.ts';
import { UserError } from '../../base/errors.ts';
import type { HeapSource, OpenInputs } from '../opened.ts';
import { asRun, type Resource } from './resource.ts';

/** More rows than these nobody scrolls through; `rows` asks for more. */
const ROWS = 200;
const MOST_ROWS = 5000;
const PATHS = 20;

/**
 * Objects told apart. `heap`: which of several; `by`: kind, type, module, size, rcs, id; `at`: where the
 * reader has walked to (analyses/heap/walk.ts); `show`: partition, paths, holders or difference (to `other`;
 * without these, the last of them less the first).
 */
export const heap: Resource = {
  name: 'heap',
  scope: 'run',
  has: (_opened, run) => (run?.heaps?.length ?? 0) > 0,
  async get(opened, given, query): Promise<HeapView> {
    const run = asRun(given);
    const all = allHeaps(opened);
    const own = all.filter(({ id }) => id.startsWith(`${run.id}.`));
    const open = (wanted: string) => openHeap(opened, all, wanted);
    const show = query.get('show') ?? 'partition';
    const asked = { heap: query.get('heap'), other: query.get('other') };
    const alone = { id: asked.heap ?? own.at(-1)!.id, other: null };
    const { id, other } =
      show === 'difference' ? await pairOf(own.length > 1 ? own : all, asked, open) : alone;
    const found = await open(id);
    const { set, crumbs } = await walk(found, query.get('at') ?? '', open);
    const by = parseWay(query.get('by') ?? 'kind');
    const limit = Math.min(Number(query.get('rows')) || ROWS, MOST_ROWS);
    const { graph, objects } = found;
    return {
      type: 'heap-view',
      heaps: all.map(({ id, name }) => ({ id, name })),
      heap: id,
      other,
      runtime: graph.runtime,
      about: graph.about,
      count: objects.length,
      size: sizeOf(found, objects),
      crumbs,
      table:
        show === 'partition'
          ? tableOf(partitionOf(found, set, by), { limit, retained: true })
          : null,
      paths: show === 'paths' ? pathsTo(found, set, { limit: PATHS }) : null,
      holders: show === 'holders' ? holdersOf(found, set, { limit: PATHS }) : null,
      difference: other === null ? null : differenceOf(found, await open(other), by),
    };
  },
  embed: (opened, run) => {
    if (!run?.heaps?.length) return null;
    const since = allHeaps(opened).length > 1 ? ['show=difference'] : [];
    return ['', 'by=type', 'by=module', 'show=holders', ...since];
  },
  leftOut: (_opened, run) => (run?.heaps?.length ? 'walks into the heap' : null),
};

interface ListedHeap extends HeapSource {
  readonly id: string;
}

/** `0.1`: the second heap of the first run. */
function allHeaps({ runs }: OpenInputs): ListedHeap[] {
  return runs.flatMap(({ id, name, heaps = [] }) =>
    heaps.map((one, i) => ({
      open: one.open,
      id: `${id}.${i}`,
      name: heaps.length > 1 ? `${name}: ${one.name}` : name,
    })),
  );
}

async function openHeap(opened: OpenInputs, all: readonly ListedHeap[], id: string): Promise<Heap> {
  const found = all.find((one) => one.id === id);
  if (found) return found.open((progress) => opened.progress(progress));
  throw new UserError(`there is no heap ${id}`, {
    hint: `one of ${all.map((one) => one.id).join(', ')}`,
  });
}

interface Pair {
  readonly id: string;
  readonly other: string;
}

/** As asked for; what was not asked for is the first or the last of the same name, and then the later comes first. */
async function pairOf(
  heaps: readonly ListedHeap[],
  asked: { readonly heap: string | null; readonly other: string | null },
  open: (id: string) => Promise<Heap>,
): Promise<Pair> {
  if (asked.heap !== null && asked.other !== null) return { id: asked.heap, other: asked.other };
  const known = asked.heap ?? asked.other ?? heaps.at(-1)!.id;
  const file = fileOf(heaps.find(({ id }) => id === known)?.name ?? '');
  const others = heaps.filter(({ id }) => id !== known);
  const same = others.filter(({ name }) => fileOf(name) === file);
  const [first] = same.length > 0 ? same : others;
  if (!first) throw new UserError('there is no other heap to hold it against');
  const given = [known, first.id].sort((a, b) => placeOf(heaps, a) - placeOf(heaps, b));
  const [one, two] = [given[0]!, given[1]!];
  const backwards = isEarlier(await open(two), await open(one)) === true;
  return backwards ? { id: one, other: two } : { id: two, other: one };
}

/** Of several processes that were dumped at once each has its own. */
const fileOf = (name: string) => name.slice(name.lastIndexOf('/') + 1);
const placeOf = (heaps: readonly ListedHeap[], wanted: string) =>
  heaps.findIndex(({ id }) => id === wanted);

function differenceOf(
  later: Heap,
  earlier: Heap,
  by: ReturnType<typeof parseWay>,
): HeapView['difference'] {
  if (by === 'id')
    throw new UserError('single objects cannot be matched', { hint: 'by kind, type or module' });
  const since = heapSince(later, earlier, by);
  return { ...since, verdict: heapDifferenceVerdict(since) };
}
