import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { memoryUsage } from 'node:process';
import { KiB } from '../../base/bytes.ts';
import type { ProcessSizes } from '../../model/sizes.ts';
import { connections, defaultRoots, namesOf } from './roots.ts';
import { SizeWalk } from './walk.ts';

const NATIVE = "outside V8's heap: freed buffers that malloc keeps, compiled code, stacks";
/** Below this share of the process nobody asks what the rest is. */
const SMALL = 0.02;

/** What `allsizesMb` tells, as plain data: the size of this process against what explains it. */
export function allsizes(...given: readonly unknown[]): ProcessSizes {
  const { roots, name } =
    given.length > 0 ? { roots: given, name: namesOf(given) } : defaultRoots();
  const memory = nodeMemory();
  const walk = new SizeWalk();
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
      ? [
          'more is counted than is resident, not measured why: never written to, in swap, or counted by two',
        ]
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

/** A Node process as the system and V8 see it, in bytes. */
interface NodeMemory {
  readonly rss: number;
  /** Resident pages that are mapped from files; 0 where the system does not tell. */
  readonly file: number;
  readonly anon: number;
  /** V8's heap: taken from the system, and in use. */
  readonly heapTotal: number;
  readonly heapUsed: number;
  /** Data of ArrayBuffers. */
  readonly arrayBuffers: number;
}

function nodeMemory(): NodeMemory {
  const { rss, heapTotal, heapUsed, arrayBuffers } = memoryUsage();
  const { file, anon } = resident();
  return { rss, file, anon: anon || rss - file, heapTotal, heapUsed, arrayBuffers };
}

function resident(): { file: number; anon: number } {
  try {
    const text = readFileSync('/proc/self/status', 'utf8');
    const field = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) * KiB;
    return { file: field('RssFile'), anon: field('RssAnon') };
  } catch {
    return { file: 0, anon: 0 };
  }
}

const PROGRAM = `const {readFileSync} = require('fs');
const anon = /^RssAnon:\\s+(\\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'));
console.log(JSON.stringify({ anon: anon[1] * 1024, heapUsed: process.memoryUsage().heapUsed }));`;

let bare: { readonly anon: number; readonly heapUsed: number } | null | undefined;

/** What Node itself takes before it runs a program, seen in a fresh one; null where it cannot be had. */
function bareNode(): { readonly anon: number; readonly heapUsed: number } | null {
  if (bare !== undefined) return bare;
  bare = null;
  try {
    const { NODE_OPTIONS: _, ...env } = process.env;
    const done = spawnSync(process.execPath, ['-e', PROGRAM], {
      env,
      encoding: 'utf8',
      timeout: 20_000,
    });
    bare = JSON.parse(done.stdout) as { anon: number; heapUsed: number };
  } catch {
    // A system without /proc, or no right to start anything.
  }
  return bare;
}
