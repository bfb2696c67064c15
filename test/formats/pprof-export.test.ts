import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Profile } from 'pprof-format';
import { describe, expect, it } from 'vitest';
import { categoryOf } from '../../src/analyses/allocations/evidence/row-reasons.ts';
import { collapsed } from '../../src/formats/collapsed.ts';
import type { WriteOptions } from '../../src/formats/format.ts';
import { encodeProfile } from '../../src/formats/pprof/encode.ts';
import { pprof } from '../../src/formats/pprof/index.ts';
import { curve } from '../../src/model/allocations/curve.ts';
import { traces } from '../../src/model/allocations/trace.ts';
import type { Recording } from '../../src/model/recording.ts';
import { openInput } from '../../src/open/open.ts';
import { smallSnapshot } from '../allocations/small-snapshot.ts';
import { gpuRun } from '../compare/runs.ts';
import { SCRATCH, start } from '../support/recorder.ts';

const FIXTURES = 'test/fixtures/snapshots';
const SNAPSHOTS = readdirSync(FIXTURES).filter((name) => /\.pickle\.gz$/.test(name));
const open = (name: string) => openInput(join(FIXTURES, name));

/** A profile as a reader that is not ours has it, with ids resolved. */
function decoded(bytes: Uint8Array) {
  const profile = Profile.decode(gunzipSync(bytes));
  const text = (id: number | bigint) => profile.stringTable.strings[Number(id)]!;
  const byId = <T extends { id: number | bigint }>(list: T[]) =>
    new Map(list.map((one) => [Number(one.id), one]));
  const [locations, functions] = [byId(profile.location), byId(profile.function)];
  const types = profile.sampleType.map(({ type, unit }) => `${text(type)}/${text(unit)}`);
  const samples = profile.sample.map((sample) => ({
    values: sample.value.map(Number),
    labels: Object.fromEntries(sample.label.map(({ key, str }) => [text(key), text(str)])),
    frames: sample.locationId.map((id) => {
      const [line] = locations.get(Number(id))!.line;
      const { name, filename } = functions.get(Number(line!.functionId))!;
      return `${text(name)} ${text(filename)}:${line!.line}`;
    }),
  }));
  const sums = types.map((_, i) => samples.reduce((sum, { values }) => sum + values[i]!, 0));
  const comments = profile.comment.map(text);
  return { types, samples, sums, comments, first: text(profile.defaultSampleType), profile };
}

const bytesOf = (pieces: Iterable<string | Uint8Array>) =>
  Buffer.concat([...pieces].map((piece) => Buffer.from(piece)));
const written = (recording: Recording, options: WriteOptions = {}) =>
  decoded(bytesOf(pprof.write!(recording, options)));
const foldedSum = (pieces: Iterable<string | Uint8Array>) =>
  [...String(bytesOf(pieces)).matchAll(/ (\d+)$/gm)].reduce((sum, [, n]) => sum + Number(n), 0);

const TYPES = [
  'alloc_objects/count',
  'alloc_space/bytes',
  'inuse_objects/count',
  'inuse_space/bytes',
];

describe('pprof of an allocation trace', () => {
  it.each(SNAPSHOTS)('%s: what lives is what collapsed stacks have, to the byte', async (name) => {
    const recording = await open(name);
    const options: WriteOptions = { categoryOf: (trace) => categoryOf(recording, trace) };
    const { types, sums, samples, first } = written(recording, options);
    expect([types, first]).toEqual([TYPES, 'inuse_space']);
    expect(sums[3]).toBe(foldedSum(collapsed.write!(recording)));
    expect(samples.length).toBeGreaterThan(0);
    for (const { values, frames, labels } of samples) {
      expect(values[2]).toBeLessThanOrEqual(values[0]!);
      expect(values[3]).toBeLessThanOrEqual(values[1]!);
      expect(frames.length).toBeGreaterThan(0);
      expect(labels.category).toBeTruthy();
      expect(labels.device).toMatch(/^(GPU \d+|pinned host memory)$/);
    }
  });

  it('has stacks from the innermost out, counts, and what is gone under alloc only', async () => {
    const recording = await smallSnapshot([
      { size: 50, calls: ['gone t.py:3'], freed: true },
      { size: 100, calls: ['inner a;b.py:2', 'native ??:0', '<module> t.py:1'] },
      { size: 20, calls: ['inner a;b.py:2', 'native ??:0', '<module> t.py:1'] },
      { size: 200 },
      { size: 400, tag: 'conv1' },
    ]);
    const last = traces(recording)[0]!.events - 1;
    const { samples, comments } = written(recording, { at: { event: last } });
    const found = Object.fromEntries(
      samples.map(({ frames, values }) => [frames.join(' < '), values]),
    );
    expect(found).toEqual({
      'gone t.py:3': [1, 50, 0, 0],
      'inner a;b.py:2 < native :0 < <module> t.py:1': [2, 120, 2, 120],
      '[no stack was recorded] :0': [1, 200, 1, 200],
      'conv1 :0': [1, 400, 1, 400],
    });
    expect(comments.join('\n')).toContain(`720 B live after event ${last}`);
  });

  it('of another moment shows that one', async () => {
    const recording = await open('mlp_adam5.pickle.gz');
    const { requested } = curve(traces(recording)[0]!);
    for (const event of [30, 200]) {
      expect(written(recording, { at: { event } }).sums[3]).toBe(requested[event]);
    }
    expect(() => written(recording, { at: { event: 1e9 } })).toThrow(/not have that/);
  });

  it('keeps values above 32 bits, and the time', () => {
    const bytes = 2 ** 45 + 12_345;
    const taken = Date.UTC(2026, 1, 3);
    const frames = [{ function: 'f', file: 'é/x.py', line: 70_000 }];
    const head = {
      types: [['inuse_space', 'bytes']],
      first: 'inuse_space',
      comments: [],
      taken,
    } as const;
    const { samples, profile } = decoded(
      bytesOf(encodeProfile(head, [{ frames, values: [bytes], labels: [] }])),
    );
    expect(samples).toEqual([{ values: [bytes], labels: {}, frames: ['f é/x.py:70000'] }]);
    expect(profile.timeNanos).toBe(BigInt(taken) * 1_000_000n);
  });

  it('refuses a recording without allocations', () => {
    expect(() => written(gpuRun('x', { 0: [1] }).recording)).toThrow(
      'the recording has no allocation trace',
    );
  });
});

describe('highwater export of a heap', () => {
  const HOLDS = `
    class Entry { constructor(i) { this.list = new Array(50).fill(i); } }
    globalThis.cache = new Map();
    for (let i = 0; i < 2000; i++) cache.set(i, new Entry(i));
    require('v8').writeHeapSnapshot(process.argv[1]);
  `;
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await start(words).finished;
    return { code, stdout: Buffer.from(stdout), stderr };
  };

  it('has every byte once, and below each holder what it retains', async () => {
    const file = join(SCRATCH, 'pprof.heapsnapshot');
    execFileSync(process.execPath, ['-e', HOLDS, file]);
    const out = join(SCRATCH, 'heap.pb.gz');
    expect((await run('export', file, '--to', 'pprof', '-o', out)).code).toBe(0);
    const { types, sums, samples } = decoded(readFileSync(out));
    const table = JSON.parse(
      String((await run('heap', file, '--retained', '--all', '--json')).stdout),
    );
    expect(types).toEqual(['inuse_objects/count', 'inuse_space/bytes']);
    expect(sums).toEqual([table.count, table.size]);
    const lines = (await run('export', file, '--to', 'collapsed')).stdout;
    expect(foldedSum([String(lines)])).toBe(table.size);
    const below = samples.filter(({ frames }) => frames.includes('Entry :0'));
    const { retained } = table.rows.find(({ kind }: { kind: string }) => kind === 'Entry');
    expect(retained).toBeGreaterThan(2000 * 50 * 4);
    expect(below.reduce((sum, { values }) => sum + values[1]!, 0)).toBe(retained);
    const refused = await run('export', file, '--to', 'csv');
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(
        /is a heap, which csv cannot show \(--to takes one of pprof, collapsed\)/,
      ),
    ]);
    expect((await run('export', file, '--to', 'pprof', '--at', '3')).code).toBe(2);
  }, 120_000);
});
