import { type Sample, samplesOf } from '../../src/metrics/samples.ts';

const FACTS = {
  labels: { job: 'j', host: 'h', run: 'r' },
  info: {},
  startedAtMs: Date.now() - 60_000,
  uuids: {},
  foreignProcesses: false,
  groupLimit: null,
  requested: null,
};

/** Four values at a second of the last minute, one of which is its number. */
export const moment = (at: number): Sample[] =>
  samplesOf(
    { endNs: at * 1e9, points: [{ metric: 'treeRss', labels: {}, last: at, peak: at + 0.5 }] },
    FACTS,
  );
