import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { highwater, place } from '../support/recorder.ts';

it('prints the table of a sweep whose runs left no samples, and fails', async () => {
  const folder = place('sweep');
  const flags = ['-q', '-o', folder, '--before', '0', '--after', '0', '--param', 'code=1,2'];
  await highwater(['sweep', ...flags, '--', 'sh', '-c', 'exit {code}']);
  // As a recorder leaves them that was stopped before its first sample.
  for (const run of readdirSync(folder).filter((name) => name.endsWith('.hw'))) {
    for (const name of readdirSync(join(folder, run))) {
      if (name !== 'run.json') rmSync(join(folder, run, name));
    }
  }
  const { code, stdout } = await highwater(['sweep', '-q', '--continue', folder]);
  expect(code).toBe(1);
  expect(String(stdout)).toMatch(/No combination went well: 2 runs failed\./);
  expect(String(stdout)).toMatch(/2 +– +– +– +code 2/);
});
