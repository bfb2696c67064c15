import { describe, expect, it } from 'vitest';
import { parseGrowth, parsePeak, parseRegress } from '../../src/analyses/check/limit.ts';
import { GiB, MiB } from '../../src/base/bytes.ts';

describe('limits as people write them', () => {
  it('reads peaks of series and of families', () => {
    expect(parsePeak('tree.pss<=8GiB')).toMatchObject({ series: 'tree.pss', mostBytes: 8 * GiB });
    expect(parsePeak(' GPU ≤ 24 GB ')).toMatchObject({ series: 'gpu', mostBytes: 24e9 });
    expect(parsePeak('torch0.allocated<1.5MiB')).toMatchObject({ mostBytes: 1.5 * MiB });
  });

  it('reads growth in its unit', () => {
    expect(parseGrowth('<=1MiB/iteration')).toMatchObject({
      series: null,
      mostBytes: MiB,
      per: 'iteration',
    });
    expect(parseGrowth('tree.rss<=50MB/hour')).toMatchObject({ series: 'tree.rss', per: 'hour' });
  });

  it('reads shares', () => {
    expect(parseRegress('3%')).toMatchObject({ series: null, share: 0.03 });
    expect(parseRegress('gpu0.tree:0.5 %')).toMatchObject({ series: 'gpu0.tree', share: 0.005 });
  });

  it.each([
    [parsePeak, '8GiB'],
    [parsePeak, 'tree.pss>=8GiB'],
    [parsePeak, 'tree.pss<=lots'],
    [parsePeak, '<=8GiB'],
    [parseGrowth, '<=1MiB'],
    [parseGrowth, '<=1MiB/fortnight'],
    [parseRegress, '3'],
    [parseRegress, '-3%'],
  ])('refuses what it cannot read, with an example', (parse, text) => {
    expect(() => parse(text)).toThrow(/is not a/);
  });
});
