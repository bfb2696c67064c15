import { EMPTY_STACK, NO_ID } from '../../../model/allocations/actions.ts';
import { layerTag, tagFamilies } from '../../../model/allocations/layer-tag.ts';
import { lifetimes } from '../../../model/allocations/lifetimes.ts';
import { liveRows } from '../../../model/allocations/live.ts';
import { type Frame, framesOf, tagText } from '../../../model/allocations/names.ts';
import type { DeviceTrace } from '../../../model/allocations/trace.ts';
import type { Recording } from '../../../model/recording.ts';
import type { Category } from '../evidence/reasons.ts';
import { categoryOf } from '../evidence/row-reasons.ts';
import type { Held } from './change.ts';

/** Allocations of one call stack and tag that live at the same time. */
export interface Site extends Held {
  readonly recording: Recording;
  /** Row of `stacks`, NO_ID or EMPTY_STACK. */
  readonly stack: number;
  /** Tells it from others of the same trace. */
  readonly key: string;
  /** Innermost first. */
  readonly frames: readonly Frame[];
  readonly tag: string;
  /** What most of its bytes are. */
  readonly category: Category;
}

export interface LiveSites {
  readonly sites: readonly Site[];
  readonly categories: ReadonlyMap<Category, Held>;
}

interface Group extends Held {
  bytes: number;
  allocations: number;
  readonly stack: number;
  readonly tag: number;
  readonly of: Map<Category, number>;
}

/** What lives after an event. */
export const liveSites = (recording: Recording, trace: DeviceTrace, event: number): LiveSites =>
  sitesOf(recording, trace, liveRows(trace, event));

/** All that a trace ever had, whenever that was. */
export function allSites(recording: Recording, trace: DeviceTrace): LiveSites {
  const rows = Uint32Array.from({ length: lifetimes(trace).count }, (_, row) => row);
  return sitesOf(recording, trace, rows);
}

/** By row of the lifetimes, the key of its site. */
export function siteKeys(recording: Recording, trace: DeviceTrace): (row: number) => string {
  const life = lifetimes(trace);
  const category = categoryOf(recording, trace);
  const family = tagFamilies(recording);
  return (row) => {
    const stack = life.stack[row]!;
    // Without frames, what it is taken for is all that tells two of them apart.
    const bare = stack === NO_ID || stack === EMPTY_STACK;
    return `${stack} ${family(life.tagOf(row))} ${bare ? category(row) : ''}`;
  };
}

function sitesOf(recording: Recording, trace: DeviceTrace, rows: Uint32Array): LiveSites {
  const life = lifetimes(trace);
  const category = categoryOf(recording, trace);
  const family = tagFamilies(recording);
  const keyOf = siteKeys(recording, trace);
  const groups = new Map<string, Group>();
  const categories = new Map<Category, { bytes: number; allocations: number }>();
  for (const row of rows) {
    const [stack, tag, size] = [life.stack[row]!, family(life.tagOf(row)), life.size[row]!];
    const kind = category(row);
    const group = entry(groups, keyOf(row), () => ({
      ...{ bytes: 0, allocations: 0, stack, tag },
      of: new Map<Category, number>(),
    }));
    group.of.set(kind, (group.of.get(kind) ?? 0) + size);
    for (const sum of [group, entry(categories, kind, () => ({ bytes: 0, allocations: 0 }))]) {
      sum.bytes += size;
      sum.allocations++;
    }
  }
  const sites = [...groups].map(([key, { stack, tag, bytes, allocations, of }]) => ({
    recording,
    stack,
    key,
    frames: framesOf(recording, stack),
    tag: layerTag(tagText(recording, tag))?.part ?? tagText(recording, tag),
    category: [...of].reduce((most, one) => (one[1] > most[1] ? one : most))[0],
    bytes,
    allocations,
  }));
  return { sites, categories };
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let found = map.get(key);
  if (found === undefined) {
    found = make();
    map.set(key, found);
  }
  return found;
}
