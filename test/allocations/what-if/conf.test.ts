import { describe, expect, it } from 'vitest';
import {
  confText,
  DEFAULT_CONF,
  parseConf,
  recordedConf,
} from '../../../src/analyses/allocations/replay/conf.ts';
import { rounded, segmentSize } from '../../../src/analyses/allocations/replay/rounding.ts';
import { MiB } from '../../../src/base/bytes.ts';

describe("settings in torch's own words", () => {
  it('reads and writes them', () => {
    for (const text of [
      'default',
      'expandable_segments:True',
      'max_split_size_mb:64',
      'expandable_segments:True,roundup_power2_divisions:8',
      'max_split_size_mb:64,max_non_split_rounding_mb:30',
      'garbage_collection_threshold:0.6,large_segment_size_mb:12',
    ]) {
      expect(confText(parseConf(text))).toBe(text);
    }
    expect(parseConf('')).toEqual(DEFAULT_CONF);
    expect(parseConf(' expandable_segments : true , backend:native')).toEqual(
      parseConf('expandable_segments:True'),
    );
  });

  it('divides size classes as torch does', () => {
    const { roundupDivisions } = parseConf('roundup_power2_divisions:[64:8,128:2,256:4,>:1]');
    // By the upper end in MiB: 1, 2, 4 … 32768; the first holds for all below it too.
    expect(roundupDivisions).toEqual([8, 8, 8, 8, 8, 8, 8, 2, 4, 1, 1, 1, 1, 1, 1, 1]);
  });

  it.each([
    ['expandable_segments:maybe', /True or False/],
    ['max_split_size_mb:8', /at least 20/],
    ['max_split_size_mb:x', /whole number/],
    ['garbage_collection_threshold:1.5', /between 0 and 1/],
    ['roundup_power2_divisions:3', /powers of 2/],
    ['roundup_power2_divisions:[3:2]', /powers of 2/],
    ['backend:cudaMallocAsync', /rules of its own/],
    ['speed:11', /no setting/],
    ['what is this', /cannot read/],
    ['expandable_segments:True;x', /True or False/],
  ])('refuses %s in one line', (text, message) => {
    expect(() => parseConf(text)).toThrow(message);
  });

  it('takes them from a snapshot', () => {
    expect(recordedConf({})).toBeNull();
    const settings = {
      max_split_size: 64 * MiB,
      expandable_segments: false,
      garbage_collection_threshold: 0.8,
      'roundup_power2_divisions.1': 4,
    };
    expect(confText(recordedConf(settings)!)).toBe(
      'max_split_size_mb:64,roundup_power2_divisions:[1:4,2:0,4:0,8:0,16:0,32:0,64:0,128:0,256:0,512:0,1024:0,2048:0,4096:0,8192:0,16384:0,32768:0],garbage_collection_threshold:0.8',
    );
  });
});

describe('sizes', () => {
  it('are rounded to 512 bytes, or to divisions of a power of two', () => {
    expect([0, 1, 512, 513].map((size) => rounded(DEFAULT_CONF, size))).toEqual([
      512, 512, 512, 1024,
    ]);
    const four = parseConf('roundup_power2_divisions:4');
    expect(rounded(four, 1200 * 1024)).toBe(1280 * 1024);
    expect(rounded(four, 2048 * 1024)).toBe(2048 * 1024);
    // Too small to be divided: rounded as without.
    expect(rounded(four, 2000)).toBe(2048);
    expect(rounded(four, 5 * 2 ** 32 + 1)).toBe(6 * 2 ** 32);
  });

  it('decide the segment', () => {
    expect(
      [1, MiB, MiB + 512, 10 * MiB, 10 * MiB + 512].map(
        (size) => segmentSize(DEFAULT_CONF, size) / MiB,
      ),
    ).toEqual([2, 2, 20, 10, 12]);
    expect(segmentSize(parseConf('large_segment_size_mb:12'), 2 * MiB)).toBe(12 * MiB);
  });
});
