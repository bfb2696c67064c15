import {
  type Heap,
  holdersOf,
  parseWay,
  partitionOf,
  pathsTo,
  type StatDifference,
  statDifference,
  statOf,
  tableOf,
} from '../../analyses/heap/index.ts';
import type { HeapView } from '../../analyses/heap/view.ts';
import { sizeOf, walk } from '../../analyses/heap/walk.ts';
import { UserError } from '../../base/errors.ts';
import type { HeapSource } from '../open-inputs.ts';
import { asRun, type OpenInputs, type Resource } from './resource.ts';

/** More rows than these nobody scrolls through; `rows` asks for more. */
const ROWS = 200;
const MOST_ROWS = 5000;
const PATHS = 20;

/**
 * Objects told apart. `heap`: which of several; `by`: kind, type, module, size, rcs, id; `at`: where the
 * reader has walked to (analyses/heap/walk.ts); `show`: partition, paths, holders or difference (to `other`).
 */
export const heap: Resource = {
  name: 'heap',
  scope: 'run',
  has: (_opened, run) => (run?.heaps?.length ?? 0) > 0,
  async get(opened, given, query): Promise<HeapView> {
    const run = asRun(given);
    const all = allHeaps(opened);
    const own = all.filter(({ id }) => id.startsWith(`${run.id}.`));
    const id = query.get('heap') ?? own.at(-1)!.id;
    const open = (wanted: string) => openHeap(opened, all, wanted);
    const found = await open(id);
    const { set, crumbs } = await walk(found, query.get('at') ?? '', open);
    const by = parseWay(query.get('by') ?? 'kind');
    const show = query.get('show') ?? 'partition';
    const limit = Math.min(Number(query.get('rows')) || ROWS, MOST_ROWS);
    const { graph, objects } = found;
    const other = query.get('other');
    return {
      type: 'heap-view',
      heaps: all.map(({ id, name }) => ({ id, name })),
      heap: id,
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
      difference:
        show === 'difference' && other ? differenceOf(found, await open(other), by) : null,
    };
  },
  embed: (_opened, run) =>
    run?.heaps?.length ? ['', 'by=type', 'by=module', 'show=holders'] : null,
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

function differenceOf(one: Heap, other: Heap, by: ReturnType<typeof parseWay>): StatDifference {
  if (by === 'id')
    throw new UserError('single objects cannot be matched', { hint: 'by kind, type or module' });
  const stat = (heap: Heap) => statOf(partitionOf(heap, heap.objects, by), 0);
  return statDifference(stat(one), stat(other));
}
