import { expect, it, onTestFinished } from 'vitest';
import { FuzzRunner } from './runner.ts';
import { targets } from './targets.ts';

it('a few mutants of each reader are read or refused (npm run test:long tries more)', async () => {
  const runner = new FuzzRunner();
  onTestFinished(() => runner.close());
  for (const { id: target } of targets()) {
    const { failures } = await runner.run({ target, seed: 2, from: 0, to: 40 });
    expect(failures).toEqual([]);
  }
});
