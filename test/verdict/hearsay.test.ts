import { expect, it } from 'vitest';
import { report } from '../../src/analyses/report.ts';
import { reportText } from '../../src/views/report/text.ts';
import { open, recorded } from '../support/recorder.ts';

const KILL =
  'Out of memory: Killed process 7 (python3) total-vm:9123456kB, anon-rss:8123456kB, file-rss:0kB, shmem-rss:0kB, UID:0';

it('a line about a kill by the kernel is hearsay where the kernel counts none', async () => {
  const { folder, run } = await recorded([], ['sh', '-c', `echo '${KILL}'; sleep 0.1; exit 3`]);
  expect(run.exit?.oomKilled).toBe(false);
  const found = report(await open(folder));
  expect(found.verdict.cause.code).toBe('failed');
  expect(found.ending).toMatchObject({
    oomMessages: [],
    hearsay: [{ seconds: expect.any(Number) }],
  });
  expect(found.outOfMemory).toEqual([]);
  const text = reportText(found, { color: false, width: 160 });
  expect(text).toMatch(/said in its output +at .*kernel.*; not of this run/i);
});

it('a program’s own words about its own memory are believed', async () => {
  const said = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.';
  const { folder } = await recorded([], ['sh', '-c', `echo '${said}' >&2; exit 1`]);
  const found = report(await open(folder));
  expect(found.ending.hearsay).toEqual([]);
  expect(found.ending.oomMessages).toHaveLength(1);
});
