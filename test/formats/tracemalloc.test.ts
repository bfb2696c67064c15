import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { liveStacks } from '../../src/analyses/allocations/live-stacks.ts';
import { report } from '../../src/analyses/report.ts';
import { collapsed } from '../../src/formats/collapsed.ts';
import { makeInput } from '../../src/formats/input.ts';
import { torchSnapshot } from '../../src/formats/torch-snapshot/index.ts';
import { tracemalloc } from '../../src/formats/tracemalloc.ts';
import { openInput } from '../../src/open/open.ts';

const path = (version: string) =>
  `test/fixtures/formats/tracemalloc/python-${version}/snapshot.tracemalloc`;
const read = async (bytes: Uint8Array) => tracemalloc.read!(makeInput('x', () => [bytes]));

describe('snapshots of tracemalloc', () => {
  // As Snapshot.statistics('lineno') printed them.
  it.each<[string, [string, number, number][]]>([
    [
      '3.6',
      [
        ['7', 201_340, 41],
        ['11', 3082, 31],
        ['6', 720, 2],
        ['10', 144, 1],
      ],
    ],
    [
      '3.8',
      [
        ['7', 201_340, 41],
        ['11', 3250, 32],
        ['6', 712, 2],
        ['10', 136, 1],
      ],
    ],
    [
      '3.11',
      [
        ['7', 201_332, 41],
        ['11', 3074, 31],
        ['6', 552, 2],
        ['10', 152, 1],
      ],
    ],
    [
      '3.13',
      [
        ['7', 201_332, 41],
        ['11', 2834, 31],
        ['6', 560, 2],
        ['10', 160, 1],
      ],
    ],
  ])('of Python %s have the sizes of each line, as Python counts them', async (version, lines) => {
    const live = liveStacks(await openInput(path(version)))!;
    expect(live.places.map(({ where, bytes, objects }) => [where, bytes, objects])).toEqual(
      lines.map(([line, bytes, objects]) => [`demo/tm.py:${line}`, bytes, objects]),
    );
    expect(live.bytes).toBe(lines.reduce((sum, [, bytes]) => sum + bytes, 0));
    expect([live.moment, live.allocatedBytes, live.leftBytes]).toEqual(['taken', null, null]);
  });

  it('have who called it, the outermost first in collapsed stacks', async () => {
    const [line] = [...collapsed.write!(await openInput(path('3.11')))].join('').split('\n');
    expect(line).toMatch(/^tm\.py:14 \(.*;tm\.py:7 \(.*tm\.py:7\);tm\.py:7 \(.*tm\.py:7\) \d+$/);
  });

  it('say what tracemalloc does not know', async () => {
    expect(report(await openInput(path('3.13'))).warnings.join('\n')).toContain(
      "only what Python's allocators were asked for",
    );
  });

  it('make nothing run: other classes, and other pickles, are refused', async () => {
    const bytes = readFileSync(path('3.11'));
    const other = Buffer.from(bytes.toString('latin1').replace('_Traces', '_Trades'), 'latin1');
    await expect(read(other)).rejects.toThrow(/would make Python run code \(STACK_GLOBAL/);
    await expect(async () =>
      torchSnapshot.read!(makeInput('x', () => [new Uint8Array(bytes)])),
    ).rejects.toThrow(/would make Python run code/);
    const reduce = Buffer.from('\x80\x04\x8c\x0btracemalloc\x8c\x08Snapshot\x93)R.', 'latin1');
    await expect(read(reduce)).rejects.toThrow(/would make Python run code \(REDUCE/);
  });

  it('that are cut anywhere are refused', async () => {
    const bytes = new Uint8Array(readFileSync(path('3.11')));
    for (let length = 0; length < bytes.length; length++) {
      await expect(read(bytes.subarray(0, length))).rejects.toThrow(/^x/);
    }
  });

  it.each<[string, string, RegExp]>([
    [
      'an object without traces',
      '\x80\x04\x8c\x0btracemalloc\x8c\x08Snapshot\x93)\x81.',
      /is no snapshot/,
    ],
    ['a plain dict', '\x80\x04}.', /is no snapshot/],
    ['a text of far too many bytes', '\x80\x04X\xff\xff\xff\xff', /a text of 4294967295 bytes/],
    ['attributes of what is no object', '\x80\x04K\x01}b.', /attributes of an unknown kind/],
    ['an object of nothing', '\x80\x04\x81.', /uses a value that is not there/],
  ])('%s is refused in one line', async (_, text, words) => {
    await expect(read(Buffer.from(text, 'latin1'))).rejects.toThrow(words);
  });
});
