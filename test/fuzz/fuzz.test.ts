import { afterAll, describe, expect, it } from 'vitest';
import { added, FuzzRunner } from './runner.ts';
import { targets } from './targets.ts';
import type { Tally } from './worker.ts';

/** A fixed part of `npm run fuzz`, so that no change breaks a reader unseen. */
const EACH = 2000;

describe('damaged and hostile input is read or refused, never more', () => {
  const runner = new FuzzRunner();
  afterAll(() => runner.close());
  let all: Tally | undefined;

  it.each(targets().map(({ id }) => id))('%s', async (target) => {
    const tally = await runner.run({ target, seed: 1, from: 0, to: EACH });
    expect(tally.failures).toEqual([]);
    expect(tally.cases).toBe(EACH);
    all = all ? added(all, tally) : tally;
  });

  it('and nearly all of it gets behind the checksums', () => {
    expect(all!.behind / all!.summed).toBeGreaterThan(0.9);
  });
});
