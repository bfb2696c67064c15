import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { liveStacks } from '../../src/analyses/allocations/live-stacks.ts';
import { report } from '../../src/analyses/report.ts';
import { collapsed } from '../../src/formats/collapsed.ts';
import { detect } from '../../src/formats/index.ts';
import { makeInput } from '../../src/formats/input.ts';
import { pprof, pprofHeap } from '../../src/formats/pprof/index.ts';
import { ProtobufWriter } from '../../src/formats/pprof/protobuf-writer.ts';
import type { Recording } from '../../src/model/recording.ts';
import { verdictSentence } from '../../src/model/verdict.ts';
import { openInput } from '../../src/open/open.ts';
import { reportText } from '../../src/views/report/text.ts';
import { SCRATCH, start } from '../support/recorder.ts';

const JAX = 'test/fixtures/formats/pprof-heap/jax-0.10.2/memory.pb';
const GO = 'test/fixtures/formats/pprof-heap/go-1.26/heap.pb';
const MiB = 2 ** 20;

const read = async (bytes: Uint8Array): Promise<Recording> =>
  pprofHeap.read!(makeInput('x.pb', () => [bytes]));
const folded = (recording: Recording) =>
  [...[...collapsed.write!(recording)].join('').matchAll(/ (\d+)$/gm)].reduce(
    (sum, [, bytes]) => sum + Number(bytes),
    0,
  );

describe('a device memory profile of JAX', () => {
  it('has its buffers by the line that made them, to the byte', async () => {
    const live = liveStacks(await openInput(JAX))!;
    // Three weights of 1 MiB, a batch of 256 KiB, three results of 64 KiB: as the program prints them.
    expect(live.bytes).toBe(3_604_480);
    expect(live.parts).toEqual([
      { device: 'cpu:0', kind: 'buffer', bytes: 3_604_480, objects: 7 },
      { device: '', kind: 'executable', bytes: 0, objects: 4 },
    ]);
    expect(live.places.map(({ where, bytes, objects }) => [where, bytes, objects])).toEqual([
      ['project/train.py:3 <listcomp>', 3 * MiB, 3],
      ['project/train.py:5 batch', MiB / 4, 1],
      ['project/train.py:11 <module>', (3 * MiB) / 16, 3],
    ]);
    const weights = live.functions.find(({ function: name }) => name === 'weights');
    expect(weights).toMatchObject({ bytes: 3 * MiB, ownBytes: 0 });
    expect(live.allocatedBytes).toBeNull();
  });

  it('is told in a report, with what it cannot know', async () => {
    const told = report(await openInput(JAX));
    expect(verdictSentence(told.verdict)).toBe(
      '3.44 MiB in use when the profile was taken, 3.00 MiB of it made by project/train.py:3 <listcomp>; its peak is not told.',
    );
    expect([told.headline, told.verdict.cause.code]).toEqual([null, 'no-problem-seen']);
    const text = reportText(told);
    expect(text).toMatch(/3\.00 MiB +87 % +3 +project\/train\.py:3 <listcomp>/);
    expect(text).toContain('what compiled programs use within themselves');
    expect(text).not.toContain('sampled');
    expect(text).not.toMatch(/^Leak|^Measured/m);
  });
});

describe('a heap profile of Go', () => {
  it('has what is in use, what was allocated, and how it was sampled', async () => {
    const recording = await openInput(GO);
    const live = liveStacks(recording)!;
    // 24 slices of 1 MiB are above the rate of sampling: nearly exact.
    const cache = live.places.find(({ where }) => where.endsWith('main.fillCache'))!;
    expect(cache.where).toMatch(/main\.go:19 main\.fillCache/);
    expect(Math.abs(cache.bytes - 24 * MiB)).toBeLessThan(100);
    expect(live.allocatedBytes!).toBeGreaterThan(live.bytes);
    expect(live.parts).toEqual([]);
    expect(recording.run.warnings.join('\n')).toContain('one allocation in 64.0 KiB was sampled');
    expect(recording.run.startedAt).toMatch(/^2026-11-18T/);
  });
});

describe('what was read', () => {
  it.each([JAX, GO])('%s is written again with the same sums', async (path) => {
    const recording = await openInput(path);
    const live = liveStacks(recording)!;
    expect(folded(recording)).toBe(live.bytes);
    const file = join(SCRATCH, `again-${path.length}.pb.gz`);
    writeFileSync(file, Buffer.concat([...pprof.write!(recording)] as Uint8Array[]));
    const again = liveStacks(await openInput(file))!;
    expect(again).toEqual(live);
  });

  it('stays when it is imported, packed in gzip as it comes', async () => {
    const file = join(SCRATCH, 'memory.prof');
    writeFileSync(file, gzipSync(readFileSync(JAX)));
    const out = join(SCRATCH, 'jax-profile.hw');
    const imported = await start(['import', file, '-o', out]).finished;
    expect([imported.code, imported.stderr]).toEqual([0, expect.stringContaining('one moment')]);
    const { stdout } = await start(['report', out, '--json']).finished;
    const { liveStacks: told } = JSON.parse(String(stdout));
    const { type: _, ...live } = liveStacks(await openInput(JAX))!;
    expect(told).toEqual(live);
  });
});

/** A profile by hand: texts, types, and what else is put in. */
function made(types: [string, string][], more: (out: ProtobufWriter) => void): Uint8Array {
  const out = new ProtobufWriter();
  for (let i = 0; i < types.length; i++) {
    out.bytes(
      1,
      new ProtobufWriter()
        .number(1, 1 + 2 * i)
        .number(2, 2 + 2 * i)
        .take(),
    );
  }
  more(out);
  for (const text of ['', ...types.flat(), 'f']) out.bytes(6, new TextEncoder().encode(text));
  return out.take();
}

const sample = (locations: number[], values: number[]) =>
  new ProtobufWriter().numbers(1, locations).numbers(2, values).take();
const place = (id: number, owner: number) =>
  new ProtobufWriter().number(1, id).bytes(4, new ProtobufWriter().number(1, owner).take()).take();
const SPACE: [string, string][] = [['space', 'bytes']];

describe('what is no such profile is refused in one line', () => {
  it.each<[string, Uint8Array, RegExp]>([
    [
      'a profile of time',
      made([['cpu', 'nanoseconds']], (out) => out.bytes(2, sample([], [5]))),
      /x\.pb is a profile of cpu\/nanoseconds, not of memory in use/,
    ],
    [
      'only what was allocated',
      made([['alloc_space', 'bytes']], (out) => out.bytes(2, sample([], [5]))),
      /profile of alloc_space\/bytes, not of memory in use/,
    ],
    [
      'a place that is missing',
      made(SPACE, (out) => out.bytes(2, sample([9], [5]))),
      /names place 9, which/,
    ],
    [
      'a function that is missing',
      made(SPACE, (out) => out.bytes(2, sample([1], [5])).bytes(4, place(1, 7))),
      /names function 7, which/,
    ],
    [
      'too few values',
      made([...SPACE, ['objects', 'count']], (out) => out.bytes(2, sample([], [5]))),
      /sample 1 has 1 values instead of 2/,
    ],
    [
      'a negative value',
      made(SPACE, (out) =>
        out.bytes(2, Uint8Array.of(0x10, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1)),
      ),
      /sample 1 has a negative value/,
    ],
    [
      'a number of too many bits',
      made(SPACE, (out) =>
        out.bytes(2, Uint8Array.of(0x10, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2)),
      ),
      /more than 64 bits, at byte \d+/,
    ],
    ['nothing', made(SPACE, () => {}), /has no samples/],
    ['a text that is missing', Uint8Array.of(0x0a, 4, 8, 99, 16, 98), /names text 99, and has 0/],
    [
      'a length beyond its end',
      Uint8Array.of(0x0a, 4, 8, 1, 16, 2, 0x12, 127),
      /ends before what it announces/,
    ],
  ])('%s', async (_, bytes, words) => {
    await expect(read(bytes)).rejects.toThrow(words);
  });

  it('also where a file is cut anywhere', async () => {
    const whole = new Uint8Array(readFileSync(GO));
    const bytes = (await liveStacks(await read(whole)))!.bytes;
    for (let length = 0; length < whole.length; length++) {
      let found: number | null = null;
      try {
        found = liveStacks(await read(whole.subarray(0, length)))!.bytes;
      } catch (error) {
        expect(String(error)).toMatch(/^FormatError: x\.pb/);
      }
      // Behind all samples and texts nothing of what is told is left to be lost.
      if (found !== null) expect([length, found]).toEqual([length, bytes]);
    }
  });

  it('keeps addresses without a name as module and offset', async () => {
    const address = 0x7f00_0000_1234;
    const bytes = made(SPACE, (out) => {
      out.bytes(2, sample([1], [5]));
      out.bytes(
        3,
        new ProtobufWriter().number(1, 1).number(2, 0x7f00_0000_0000).number(5, 3).take(),
      );
      out.bytes(4, new ProtobufWriter().number(1, 1).number(2, 1).number(3, address).take());
    });
    const live = liveStacks(await read(bytes))!;
    expect(live.places[0]!.where).toBe('f+0x1234');
  });

  it('is not taken for one by its first bytes', () => {
    for (const text of [
      '\n',
      '\n\x04\x08\x01\x10\x02',
      'seconds,mem_used\n',
      '{"a":1}',
      '\x12\x02ab',
    ])
      expect([text, detect(Buffer.from(text), 'x')?.id]).not.toContain('pprof-heap');
  });
});
