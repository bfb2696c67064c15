import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { liveStacks } from '../../src/analyses/allocations/live-stacks.ts';
import { report } from '../../src/analyses/report.ts';
import { makeInput } from '../../src/formats/input.ts';
import { memray } from '../../src/formats/memray/index.ts';
import { LiveBlocks } from '../../src/formats/memray/live.ts';
import { unpackedLz4 } from '../../src/formats/memray/lz4.ts';
import { verdictSentence } from '../../src/model/verdict.ts';
import { openInput } from '../../src/open/open.ts';

/*
 * A program that keeps eight blocks of 1 MiB and ten of 200 kB, takes one of 6 MiB, and lets three of the first go. Figures beside are
 * those of memray's own FileReader: records at the high-water mark, and leaked.
 */
const FOLDER = 'test/fixtures/formats/memray';
const EVERY = join(FOLDER, '1.20.0/train.bin');
const SUMS = join(FOLDER, '1.20.0/train.aggregated.bin');
const OLDER = join(FOLDER, '1.19.1/train.bin');

const file = (path: string) => new Uint8Array(readFileSync(path));
const read = async (...pieces: Uint8Array[]) => memray.read!(makeInput('x.bin', () => pieces));
async function unpacked(path: string): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  for await (const piece of unpackedLz4([file(path)], 'x')) pieces.push(Buffer.from(piece));
  return new Uint8Array(Buffer.concat(pieces));
}

describe("memray's captures", () => {
  it.each<[string, string, number, number]>([
    ['every allocation', EVERY, 16_721_464, 7_284_276],
    ['sums', SUMS, 16_721_464, 7_284_276],
    ['every allocation, of memray 1.19', OLDER, 16_723_394, 7_286_206],
  ])('with %s tell peak and end as memray does, by line', async (_, path, peak, left) => {
    const live = liveStacks(await openInput(path))!;
    expect(live).toMatchObject({ moment: 'peak', bytes: peak, leftBytes: left });
    const lines = live.places.map(({ where, bytes, objects, leftBytes }) => ({
      where,
      bytes,
      objects,
      leftBytes,
    }));
    expect(lines.slice(0, 3)).toEqual([
      { where: 'train.py:2 <listcomp>', bytes: 8_388_616, objects: 8, leftBytes: 5_242_885 },
      { where: 'train.py:6 scratch', bytes: 6_291_457, objects: 1, leftBytes: 0 },
      { where: 'train.py:12 <listcomp>', bytes: 2_000_330, objects: 10, leftBytes: 2_000_330 },
    ]);
    expect(live.places[0]!.frames.slice(0, 3).map(({ function: f, line }) => [f, line])).toEqual([
      ['<listcomp>', 2],
      ['cache', 2],
      ['<module>', 15],
    ]);
  });

  it('are reported by their peak, with when and how the program was started', async () => {
    const recording = await openInput(EVERY);
    expect(verdictSentence(report(recording).verdict)).toBe(
      "15.9 MiB in use at the heap's peak, 8.00 MiB of it made by train.py:2 <listcomp>; 6.95 MiB still in use at its end.",
    );
    expect(recording.run.startedAt).toMatch(/^2026-11-19T/);
    expect(recording.run.argv.at(-1)).toBe('train.py');
  });

  it('are the same unpacked, and in whatever pieces they come', async () => {
    const told = liveStacks(await openInput(EVERY));
    const plain = await unpacked(EVERY);
    expect(liveStacks(await read(plain))).toEqual(told);
    const packed = file(EVERY);
    const pieces = Array.from({ length: Math.ceil(packed.length / 7) }, (_, i) =>
      packed.subarray(7 * i, 7 * i + 7),
    );
    expect(liveStacks(await read(...pieces))).toEqual(told);
  });

  it('of a program that was killed tell what was so far, and say it', async () => {
    const plain = await unpacked(EVERY);
    // The file is longer than what was written into it.
    const written = (bytes: Uint8Array) => bytes.findLastIndex((byte) => byte !== 0);
    const killed = new Uint8Array(plain.length + 5000);
    killed.set(plain.subarray(0, written(plain) - 2000));
    const recording = await read(killed);
    expect(recording.run.warnings.join('\n')).toContain('the capture has no end');
    expect(liveStacks(recording)!.bytes).toBeLessThanOrEqual(16_721_464);
    const sums = await unpacked(SUMS);
    await expect(read(sums.subarray(0, written(sums) - 100))).rejects.toThrow(
      /ends before its end/,
    );
  });

  it('that were cut anywhere are refused where they are packed', async () => {
    const whole = file(EVERY);
    for (let length = 1; length < whole.length; length += 97) {
      await expect(read(whole.subarray(0, length))).rejects.toThrow(/^x\.bin/);
    }
  });

  it('that are damaged end in one line', async () => {
    const plain = await unpacked(EVERY);
    for (let at = 0; at < plain.length; at += 211) {
      const damaged = plain.slice();
      damaged[at]! ^= 0xff;
      try {
        await read(damaged);
      } catch (error) {
        expect(String(error)).toMatch(/^FormatError: x\.bin [^\n]*$/);
      }
    }
  });

  it('keep blocks apart that come and go at one address', () => {
    const sums = [0, 0];
    const live = new LiveBlocks((site, bytes) => {
      sums[site]! += bytes;
    });
    for (let i = 0; i < 20_000; i++) live.made(0x7fff_0000_0000 + 16 * i, 1, 0);
    for (let i = 0; i < 300_000; i++) {
      live.made(0x5555_0000_0000, 3, 1);
      live.freed(0x5555_0000_0000);
    }
    expect(sums).toEqual([20_000, 0]);
    for (let i = 0; i < 20_000; i += 2) live.freed(0x7fff_0000_0000 + 16 * i);
    live.made(0x7fff_0000_0010, 5, 1);
    expect(sums).toEqual([9999, 5]);
  });

  const header = (version: number, ...rest: number[]) =>
    Uint8Array.from([...new TextEncoder().encode('memray\0'), version, 0, 0, 0, ...rest]);
  it.each<[string, Uint8Array, RegExp]>([
    ['another version', header(11, 1), /version 11 of memray's captures; 12 and 13 are known/],
    ['no more than a name', header(13), /ends before its first record/],
    [
      'another LZ4 file',
      Uint8Array.of(4, 0x22, 0x4d, 0x18, 0x40, 0x40, 0, 3, 0, 0, 0x80, 97, 98, 99, 0, 0, 0, 0),
      /is no capture of memray/,
    ],
    [
      'a block of far too many bytes',
      Uint8Array.of(4, 0x22, 0x4d, 0x18, 0x40, 0x40, 0, 255, 255, 255, 127),
      /a block that is larger/,
    ],
    [
      'a text without an end',
      Uint8Array.from([...header(13, ...new Uint8Array(38)), ...new Uint8Array(200_000).fill(97)]),
      /a text that never ends/,
    ],
  ])('%s is refused in one line', async (_, bytes, words) => {
    await expect(read(bytes)).rejects.toThrow(words);
  });
});
