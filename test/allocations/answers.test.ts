import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pickle } from '../support/pickler.ts';
import { needs } from '../support/programs.ts';
import { SHARED, whereShared } from '../support/shared.ts';
import { answers, expectedIn } from './expected.ts';
import { synthetic } from './synthetic.ts';

const OWN = 'test/fixtures/snapshots';

/** Against answers that another program found: see programs/replay_snapshot.py. */
async function expectAnswers(folder: string): Promise<void> {
  for (const [file, expected] of Object.entries(expectedIn(join(folder, 'expected.ndjson')))) {
    const { devices, livePeaks, unmatched } = await answers(join(folder, file));
    expect({ file, devices, unmatched }).toEqual({ file, devices: expected, unmatched: 0 });
    for (const [device, { peak_requested }] of Object.entries(expected)) {
      expect([file, livePeaks[device]]).toEqual([file, peak_requested]);
    }
  }
}

describe('peaks, starts and ends are right to the byte', () => {
  it('in snapshots from a GPU that are kept here', () => expectAnswers(OWN));

  whereShared('torch-snapshots/expected.ndjson')(
    'in larger ones and those of others',
    () => expectAnswers(join(SHARED, 'torch-snapshots')),
    120_000,
  );

  needs('python3')('in made-up ones, by the word of a Python that read the same file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'highwater-answers-'));
    try {
      const paths = [1, 2, 3, 4, 5, 6].map((seed) => {
        const path = join(folder, `${seed}.pickle`);
        const protocol = ([2, 3, 4, 5] as const)[seed % 4];
        const lists = seed % 3 === 0 ? 'whole' : 'batches';
        const { snapshot } = synthetic(seed, 1500, { expandable: seed % 2 === 0 });
        writeFileSync(path, pickle(snapshot, { protocol, lists }));
        return path;
      });
      const program = 'test/fixtures/programs/replay_snapshot.py';
      const text = execFileSync('python3', [program, ...paths], { encoding: 'utf8' });
      for (const [path, expected] of Object.entries(JSON.parse(text) as object)) {
        expect((await answers(path)).devices).toEqual(expected);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
