import { describe, expect, it } from 'vitest';
import { lack, where } from '../support/programs.ts';
import { fullAfter, killedAfter, limitedTo, overQuotaOf } from './cuts.ts';
import { lackOfMount } from './mount.ts';

/** A share of `npm run faults`: whatever a recording was cut short by, it opens, says so, and is not called good. */
describe('a recording that was cut short', () => {
  it.each([5, 400, 900, 1500, 2100])('by kill -9 after %i ms', async (ms) => {
    expect(await killedAfter(ms)).toMatchObject({ wrong: null });
  });

  where(lackOfMount())('by a disk that was full at any size', async () => {
    for (const kib of [4, 40, 80, 150, 250]) {
      expect(await fullAfter(kib)).toMatchObject({ wrong: null });
    }
    const { complete, says } = await fullAfter(120);
    expect([complete, says]).toEqual([
      false,
      expect.stringMatching(/^stops at .*: no space left on the disk \(ENOSPC\)$/),
    ]);
  });

  it('by a limit on the size of files', async () => {
    expect(await limitedTo(60)).toMatchObject({
      wrong: null,
      complete: false,
      says: expect.stringContaining('(EFBIG; see `ulimit -f`)'),
    });
  });

  where(lack('gcc'))('by a quota', async () => {
    expect(await overQuotaOf(120)).toMatchObject({
      wrong: null,
      complete: false,
      says: expect.stringContaining('disk quota exceeded (EDQUOT)'),
    });
  });
});
