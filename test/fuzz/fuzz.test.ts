import { afterAll, describe, expect, it } from 'vitest';
import { FuzzRunner } from './runner.ts';
import { targets } from './targets.ts';

/** A short, fixed part of `npm run fuzz`, so that no change breaks a reader unseen. */
describe('damaged input is read or refused, never more', () => {
  const runner = new FuzzRunner();
  afterAll(() => runner.close());

  it.each(targets().map((target) => target.id))('%s', async (target) => {
    for (let number = 0; number < 300; number++) {
      const { failure } = await runner.run({ target, seed: 1, number });
      expect(failure, `npm run fuzz -- --format ${target} --case ${number}`).toBeNull();
    }
  });
});
