import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ContainerGrowth,
  type GrownPlaces,
  growthOf,
  type Heap,
  type HeapGrowth,
  membersOf,
  partitionOf,
  pathsTo,
  placesBetween,
  rollOf,
  statOf,
} from '../../src/analyses/heap/index.ts';
import { formatDelta } from '../../src/base/bytes.ts';
import { openHeap } from '../../src/open/heaps.ts';
import { growthText, placesText } from '../../src/views/heap/index.ts';
import { needs, python } from '../support/programs.ts';

/** Grows in some places, churns in others, and has names that look like a tool's own. */
const PYTHON = `
import sys, types
from collections import OrderedDict, deque
from highwater import heap
import highwater._agent as agent

class SessionState:
    def __init__(self, i):
        self.rows = [str(i) + "x" * 100 for _ in range(10)]

class Row:
    def __init__(self):
        self.values = [float(i) for i in range(50)]

mine = sys.modules["highwater_cache"] = types.ModuleType("highwater_cache")
mine.texts = []
agent.kept_by_us = []
keep, sessions, buckets, grown = [], {}, {n: deque() for n in range(20)}, bytearray(1000)
newest, order = OrderedDict(), []
index, ring = {}, []

def main(folder):
    number = 0
    for taken in range(3):
        for _ in range(100):
            number += 1
            t = Row()
            keep.append(t)
            sessions[number] = SessionState(number)
            buckets[number % 20].append("b%d" % number * 40)
            grown.extend(b"g" * 1000)
            mine.texts.append("user %d" % number + "u" * 500)
            agent.kept_by_us.append(["ours %d" % number + "o" * 400])
            # As many as before, and all of them new.
            newest[number] = ["n%d" % number * 100]
            if len(newest) > 30: newest.popitem(last=False)
            # Two hold each: neither alone.
            shared = ["s%d" % number * 100]
            index[number] = shared
            ring.append(shared)
            del shared
        # In one heap only.
        passing = [bytes(2000) for _ in range(300)] if taken == 1 else None
        heap.dump("%s/%d.hwheap" % (folder, taken)).wait()
        passing = None
main(sys.argv[1])
`;

/** A server's usual leaks: buffers, sessions, functions that close over too much; and a cache that is bounded. */
const NODE = `const v8 = require('v8');
class Session { constructor(i) { this.id = i; this.data = new Array(20).fill(i); } }
const sessions = new Map();
const buffers = [];
const handlers = [];
const recent = new Map();
function onRequest(i) {
  sessions.set('key' + i, new Session(i));
  buffers.push(Buffer.alloc(20000, 1));
  const big = 'x'.repeat(1000) + i;
  handlers.push(function later() { return big.length + i; });
  recent.set(i, { text: ('r' + i).repeat(100) });
  if (recent.size > 50) recent.delete(i - 50);
}
let number = 0;
for (let heap = 0; heap < 3; heap++) {
  for (let i = 0; i < 200; i++) onRequest(number++);
  let passing = heap === 1 ? Array.from({ length: 300 }, (_, i) => ({ text: ('p' + i).repeat(99) })) : null;
  v8.writeHeapSnapshot(process.argv[2] + '/' + heap + '.heapsnapshot');
  passing = null;
}
module.exports = { onRequest };
`;

const scratch = mkdtempSync(join(tmpdir(), 'highwater-growth-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function folderOf(name: string): string {
  const folder = join(scratch, name);
  mkdirSync(folder);
  return folder;
}

interface Compared {
  readonly last: Heap;
  readonly three: HeapGrowth;
  readonly two: GrownPlaces;
}

async function compared(folder: string, ending: string): Promise<Compared> {
  const heaps = [];
  for (const at of [0, 1, 2]) heaps.push((await openHeap(join(folder, `${at}${ending}`))).heap!);
  const stats = heaps.map((heap) => statOf(partitionOf(heap), 0));
  const rolls = heaps.slice(0, 2).map(rollOf);
  return {
    last: heaps[2]!,
    three: growthOf(stats, rolls, heaps[2]!),
    two: placesBetween(rolls.slice(0, 1), heaps[2]!),
  };
}

const at = ({ containers }: GrownPlaces, place: string | RegExp): ContainerGrowth => {
  const found = containers!.filter((row) =>
    typeof place === 'string' ? row.place === place : place.test(row.place),
  );
  expect(found, `${place} among ${containers!.map((row) => row.place).join(' | ')}`).toHaveLength(
    1,
  );
  return found[0]!;
};

describe('growth between heaps of a Python program', () => {
  const real = needs('python3');
  let found: Compared;
  beforeAll(async () => {
    const folder = folderOf('python');
    const env = { ...process.env, PYTHONPATH: resolve('python') };
    execFileSync(python(), ['-c', PYTHON, folder], { env });
    found = await compared(folder, '.hwheap');
  }, 60_000);

  real('names the container that grew, with its entries, by what it retains', () => {
    for (const places of [found.three, found.two]) {
      const sizes = places.containers!.map(({ grown }) => grown);
      const ours = places.containers!.findIndex(({ verdict }) => verdict === 'artifact');
      expect(sizes.slice(0, ours)).toEqual(sizes.slice(0, ours).sort((a, b) => b - a));
      const sessions = at(places, '__main__.sessions');
      expect([sessions.entries![0], sessions.entries!.at(-1)]).toEqual([100, 300]);
      expect(sessions.kinds[0]).toMatchObject({ kind: '__main__.SessionState', count: 200 });
      expect(sessions.grown).toBeGreaterThan(200 * 10 * 150);
      expect(sessions.verdict).toBe('candidate');
      // Not one temporary that happens to be nearest.
      const keep = at(places, '__main__.keep');
      expect(keep.entries!.at(-1)).toBe(300);
      expect(keep.holders[0]).toMatchObject({ place: '__main__.keep' });
      expect(keep.holders[0]!.count).toBeGreaterThanOrEqual(199);
      expect(keep.grown).toBeGreaterThan(199 * 50 * 24);
    }
    expect(found.three.containers!.find(({ place }) => place === '__main__.keep')!.entries).toEqual(
      [100, 200, 300],
    );
  });

  real('counts containers of one sort together, and what grew in place', () => {
    const buckets = at(found.three, '__main__.buckets[…]');
    expect(buckets).toMatchObject({
      containers: 20,
      kind: 'collections.deque',
      entries: [100, 200, 300],
    });
    expect(at(found.three, '__main__.grown').grown).toBeGreaterThanOrEqual(200_000);
  });

  real('says of a kind without new objects how much larger they became, not all they hold', () => {
    const row = found.three.rows.find(({ kind }) => kind === 'bytearray')!;
    expect(row).toMatchObject({ verdict: 'candidate', newObjects: 0, retained: null, path: null });
    expect(row.counts[0]).toBe(row.counts[2]);
    const grown = row.sizes[2]! - row.sizes[0]!;
    expect(grown).toBeGreaterThanOrEqual(200_000);
    // The first 100,000 bytes were there before.
    expect(row.sizes[2]! - grown).toBeGreaterThan(100_000);
    const text = growthText(found.three, true);
    expect(text).toContain(
      `  ${formatDelta(grown)}  bytearray: ${row.counts.join(' → ')} objects\n      none is new: they became larger`,
    );
  });

  real('lists all who hold what is new', () => {
    const shared = at(found.three, /^__main__\.(index|ring)$/);
    expect(shared.holders).toEqual(
      expect.arrayContaining([
        { place: '__main__.index', count: 200 },
        { place: '__main__.ring', count: 200 },
      ]),
    );
    expect(shared.entries).toEqual([100, 200, 300]);
  });

  real('blames nobody for what came and went, or was there in one heap only', () => {
    const places = found.three.containers!.map(({ place }) => place).join('\n');
    expect(places).not.toContain('newest');
    expect(places).not.toContain('passing');
    const bytes = found.three.rows.find(({ kind }) => kind === 'bytes');
    expect(bytes?.verdict ?? 'settled').toBe('settled');
  });

  real('tells its own by who holds it, not by names', () => {
    expect(at(found.three, 'highwater_cache.texts').verdict).toBe('candidate');
    expect(at(found.three, 'highwater._agent.kept_by_us').verdict).toBe('artifact');
    const dicts = found.three.rows.find(({ kind }) => kind === 'dict of __main__.SessionState');
    expect(dicts).toMatchObject({ verdict: 'candidate', newObjects: 200 });
    const own = found.three.rows.filter(({ verdict }) => verdict === 'candidate');
    const more = ({ retained, sizes }: (typeof own)[number]) => retained ?? sizes[2]! - sizes[0]!;
    expect(own).toEqual(own.toSorted((a, b) => more(b) - more(a)));
    expect(own.find(({ kind }) => kind === '__main__.Row')!.path).toBe('__main__.keep');
    const text = growthText(found.three);
    expect(text).toMatch(/\+\d.*__main__\.sessions\n {6}100 → 200 → 300 entries; /);
    expect(text).not.toMatch(/is a leak|leaks/);
  });
});

describe('growth between heaps of a Node program', () => {
  let found: Compared;
  beforeAll(async () => {
    const folder = folderOf('node');
    const program = join(folder, 'server.js');
    writeFileSync(program, NODE);
    execFileSync(process.execPath, [program, folder]);
    found = await compared(folder, '.heapsnapshot');
  }, 60_000);

  it('names variables of the program with the function and line that see them', () => {
    for (const places of [found.three, found.two]) {
      const buffers = at(places, /^buffers in scope of onRequest \(.*\/server\.js:7\)$/);
      expect(buffers).toMatchObject({ kind: 'Array', verdict: 'candidate', containers: 1 });
      expect(buffers.entries!.at(-1)! - buffers.entries![0]!).toBe(400);
      // Most of it is outside of V8's own heap.
      expect(buffers.grown).toBeGreaterThan(400 * 20_000);
      expect(places.containers![0]).toBe(buffers);
      const sessions = at(places, /^sessions in scope of onRequest/);
      expect(sessions.kinds.map(({ kind, count }) => `${count} ${kind}`)).toContain('400 Session');
      expect([sessions.entries![0], sessions.entries!.at(-1)]).toEqual([200, 600]);
      const handlers = at(places, /^handlers in scope of onRequest/);
      expect(handlers.kinds[0]!.written).toMatch(/^later \(.*\/server\.js:11\)$/);
      expect(handlers.grown).toBeGreaterThan(400 * 64);
    }
  });

  it('begins paths at those variables', () => {
    const kinds = partitionOf(found.last);
    const row = [...Array(kinds.rows).keys()].find((at) => kinds.label(at) === 'Session')!;
    const [path] = pathsTo(found.last, membersOf(kinds, row), { limit: 1 }).paths;
    expect(path!.text).toMatch(/^sessions.* in scope of onRequest \(.*\/server\.js:7\)$/);
  });

  it('calls neither sessions nor buffers artifacts, and a bounded cache no growth', () => {
    const { rows, containers } = found.three;
    for (const kind of ['Session', 'system / JSArrayBufferData', 'Buffer']) {
      expect(rows.find((row) => row.kind === kind)?.verdict ?? 'candidate').toBe('candidate');
    }
    expect(
      rows.find(({ kind }) => kind === 'system / JSArrayBufferData')!.retained,
    ).toBeGreaterThan(8e6);
    expect(containers!.map(({ place }) => place).join('\n')).not.toMatch(/recent|passing/);
    expect(rows[0]!.retained).toBeGreaterThanOrEqual(rows[1]!.retained!);
    expect(placesText(found.two)).toContain('two heaps cannot tell growth from chance');
  });
});
