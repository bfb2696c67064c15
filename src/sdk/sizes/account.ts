import type { ProcessSizes } from '../../model/sizes.ts';
import { connections, defaultRoots, namesOf } from './model.ts';
import { bareNode, type NodeMemory, nodeMemory } from './process.ts';
import { Walk } from './walk.ts';

const NATIVE = "outside V8's heap: freed buffers that malloc keeps, compiled code, stacks";
/** Below this share of the process nobody asks what the rest is. */
const SMALL = 0.02;

/** What `allsizesMb` tells, as plain data: the size of this process against what explains it. */
export function allsizes(...given: readonly unknown[]): ProcessSizes {
  const { roots, name } =
    given.length > 0 ? { roots: given, name: namesOf(given) } : defaultRoots();
  const memory = nodeMemory();
  const walk = new Walk();
  walk.add(...roots);
  const { cpu: wtsize = 0, ...devices } = Object.fromEntries(walk.arrays);
  const bare = bareNode();
  const loaded = bare?.anon ?? null;
  const code = memory.file + (loaded ?? 0);
  const explained = code + walk.objects + wtsize;
  const topsize = memory.rss;
  const over = explained > topsize * (1 + SMALL);
  return {
    language: 'node',
    pid: process.pid,
    root: name,
    topsize,
    code: { mapped: memory.file, loaded },
    simsize: walk.objects,
    wtsize,
    devices,
    connections: connections(roots),
    explained,
    optimisable: Math.max(0, topsize - code - wtsize),
    rest: restOf(topsize - explained, memory, walk.objects, wtsize, bare?.heapUsed ?? 0),
    notes: over
      ? ['more is explained than is resident: arrays that were never written to, or swapped out']
      : [],
  };
}

function restOf(
  unexplained: number,
  memory: NodeMemory,
  simsize: number,
  wtsize: number,
  bareHeap: number,
): [string, number][] {
  const { rss, heapTotal, heapUsed, arrayBuffers } = memory;
  let left = unexplained;
  if (left <= rss * SMALL) return [];
  const named: [string, number][] = [
    ["V8's heap outside the root (libraries, functions, garbage)", heapUsed - simsize - bareHeap],
    ['buffers outside the root', arrayBuffers - wtsize],
    ["V8's heap, free", heapTotal - heapUsed],
  ];
  const rows = named.flatMap(([what, bytes]): [string, number][] => {
    const size = Math.min(bytes, left);
    if (size <= (rss * SMALL) / 4) return [];
    left -= size;
    return [[what, size]];
  });
  rows.sort((a, b) => b[1] - a[1]);
  if (left > 0) rows.push([NATIVE, left]);
  return rows;
}
