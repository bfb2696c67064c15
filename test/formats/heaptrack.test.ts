import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { decompress } from 'fzstd';
import { describe, expect, it } from 'vitest';
import { liveStacks } from '../../src/analyses/allocations/live-stacks.ts';
import { report } from '../../src/analyses/report.ts';
import { heaptrack } from '../../src/formats/heaptrack/index.ts';
import { makeInput } from '../../src/formats/input.ts';
import { verdictSentence } from '../../src/model/verdict.ts';
import { openInput } from '../../src/open/open.ts';
import { SCRATCH } from '../support/recorder.ts';

/*
 * loader: keeps twenty blocks of 1 MiB, takes one of 3 MiB and one of 1 MiB ten times, and frees five of the first. boxes: C++, 32 boxes
 * of 64 KiB by `new` in a vector. Figures beside are heaptrack_print's: peak 25.24M, leaked 15.73M, 41 calls; 2.17M, 0B, 34.
 */
const FOLDER = 'test/fixtures/formats/heaptrack/1.4.0';
const MiB = 2 ** 20;
const CXX = 72_704;

const plain = () => decompress(new Uint8Array(readFileSync(join(FOLDER, 'loader.zst'))));
const read = async (bytes: Uint8Array) => heaptrack.read!(makeInput('x.zst', () => [bytes]));
const text = (...lines: string[]) => read(Buffer.from(`${lines.join('\n')}\n`));

describe("heaptrack's files", () => {
  it('tell the peak, what was left and what was ever allocated, by line', async () => {
    const live = liveStacks(await openInput(join(FOLDER, 'loader.zst')))!;
    expect(live).toMatchObject({
      moment: 'peak',
      bytes: 24 * MiB + CXX,
      leftBytes: 15 * MiB,
      leftObjects: 15,
      allocatedBytes: 60 * MiB + CXX,
      allocatedObjects: 41,
    });
    expect(live.places.map(({ where, bytes, leftBytes }) => [where, bytes, leftBytes])).toEqual([
      ['demo/loader.c:3 cache', 20 * MiB, 15 * MiB],
      ['demo/loader.c:4 gone', 4 * MiB, 0],
      ['[in libstdc++.so.6]', CXX, 0],
    ]);
    expect(live.functions.find(({ function: name }) => name === 'main')!.bytes).toBe(24 * MiB);
  });

  it('blame the caller of operator new', async () => {
    const live = liveStacks(await openInput(join(FOLDER, 'boxes.zst')))!;
    expect(live.bytes).toBe(32 * 65_536 + 64 * 8 + CXX);
    expect(live.places[0]).toMatchObject({ bytes: 32 * 65_536, objects: 32, leftBytes: 0 });
    expect(live.places[0]!.where).toMatch(/^demo\/boxes\.cpp:5 fill\(/);
    expect([live.allocatedObjects, live.leftBytes]).toEqual([34, 0]);
  });

  it('are the same packed by gzip', async () => {
    const file = join(SCRATCH, 'heaptrack.loader.gz');
    writeFileSync(file, gzipSync(plain()));
    const again = liveStacks(await openInput(file));
    expect(again).toEqual(liveStacks(await openInput(join(FOLDER, 'loader.zst'))));
  });

  it('are reported by their peak', async () => {
    const { verdict } = report(await openInput(join(FOLDER, 'loader.zst')));
    expect(verdictSentence(verdict)).toBe(
      "24.1 MiB in use at the heap's peak, 20.0 MiB of it made by demo/loader.c:3 cache; 15.0 MiB still in use at its end.",
    );
  });

  it('that were cut anywhere are refused, or end sooner', async () => {
    const whole = readFileSync(join(FOLDER, 'loader.zst'));
    for (let length = 1; length < whole.length; length += 7) {
      await expect(read(whole.subarray(0, length))).rejects.toThrow(/^x\.zst/);
    }
    const bytes = plain();
    for (let length = 1; length < bytes.length; length += 5) {
      const cut = bytes.subarray(0, length);
      if (cut.at(-1) === 10) continue;
      await expect(read(cut)).rejects.toThrow(/^x\.zst/);
    }
  });

  it.each<[string, string[], RegExp]>([
    ['another version', ['v 20000 4'], /version 4 of heaptrack's files; 1 to 3 are known/],
    ['no version', ['X ./a'], /line 1: expected its version/],
    ['a raw file', ['v 10400 3', 'x 3 a'], /raw file of heaptrack/],
    ['another line', ['v 10400 3', 'hello'], /line 2: no line of heaptrack/],
    ['an allocation that is missing', ['v 10400 3', '+ 0'], /line 2: allocation 0, which/],
    ['a stack that is missing', ['v 10400 3', 'a 10 7'], /line 2: stack 7, which/],
    ['a place that is missing', ['v 10400 3', 't 7 0'], /line 2: place 7, which/],
    ['a text that is missing', ['v 10400 3', 'i 0 9'], /line 2: text 9, which/],
    ['a text that ends early', ['v 10400 3', 's 4 abcdef'], /line 2: a text that is longer/],
    ['a text of far too many bytes', ['v 10400 3', 's ffffffff a'], /a text of 4294967295 bytes/],
    ['a stack that calls itself', ['v 10400 3', 'i 0 0', 't 1 1'], /line 3: stack 1, which/],
    ['no number', ['v 10400 3', '+ zz'], /line 2: no number/],
    ['nothing', ['v 10400 3'], /has no samples/],
  ])('%s is refused in one line', async (_, lines, words) => {
    await expect(text(...lines)).rejects.toThrow(words);
  });

  it('do not set aside what a header asks for', async () => {
    const head = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xff, 0, 0, 0, 0, 0, 0);
    await expect(read(head)).rejects.toThrow(/x\.zst needs \d+ MiB to be unpacked/);
  });
});
