import { createHash } from 'node:crypto';
import type { Samples } from '../model/disk/long-recording.ts';
import type { Recording } from '../model/recording.ts';
import { seriesNames } from '../model/series.ts';

/** As `record` makes them: 64 random bits. */
const OWN_ID = /^[0-9a-f]{16}$/;

/**
 * The id of a run in a store: the recording's own. What was imported has only the name of a file as its id, which
 * another file may have too: it is told apart by what is in it, so that the same file is the same run again.
 */
export function runId(recording: Recording, samples: Samples): string {
  const { run } = recording;
  if (OWN_ID.test(run.id)) return run.id;
  const hash = createHash('sha256');
  hash.update(JSON.stringify([run.id, run.name, run.startedAt, run.argv, run.labels]));
  for (const name of recording.tables) {
    hash.update(JSON.stringify([name, samples.rows(name)]));
  }
  for (const name of seriesNames(recording)) {
    hash.update(name);
    for (const key of ['times', 'values'] as const) {
      for (const { [key]: figures } of samples.pieces(name)) {
        hash.update(new Uint8Array(figures.buffer, figures.byteOffset, figures.byteLength));
      }
    }
  }
  return hash.digest('hex').slice(0, 16);
}
