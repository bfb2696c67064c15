import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDetails, parseSummary } from '../src/model/job/summary-check.ts';
import { writeFleet } from '../test/support/fleet-ranks.ts';
import { highwater, processes, recordCommand } from './recorders.ts';
import { atMost, type Benchmark, ratioAtMost } from './result.ts';
import { withFolder } from './scratch.ts';
import { best, type Usage, usageOf } from './usage.ts';

const RANKS = 10_000;
const LIMIT = { times: 3, megabytes: 500 };

/** Reads the same files to their end and does nothing with them. */
const READ = `const { readdirSync, readFileSync } = require('node:fs');
let bytes = 0;
for (const name of readdirSync(process.argv[2])) bytes += readFileSync(process.argv[2] + '/' + name + '/summary.jsonl').length;
console.log(bytes);`;

/** Ten thousand ranks, made from the summary of a real recording, against reading their files. */
export const job: Benchmark = {
  name: 'job',
  title: `job over ${RANKS} rank summaries against reading the same bytes`,
  minutes: 2,
  run: ({ quick }) =>
    withFolder(async (folder) => {
      const [recording, out, fleet] = ['run.hw', 'out.txt', 'fleet'].map((name) =>
        join(folder, name),
      );
      await usageOf(recordCommand(recording!, 100, processes(1, 2, 'idle')), out!);
      const [first, second] = readFileSync(join(recording!, 'summary.jsonl'), 'utf8').split('\n');
      const base = { summary: parseSummary(first!), details: parseDetails(second!) };
      writeFleet(fleet!, base, {
        ranks: RANKS,
        outliers: [17, 4242],
        stragglers: [5],
        missing: [33],
      });
      const reader = join(folder, 'read.cjs');
      writeFileSync(reader, READ);
      const ours: Usage[] = [];
      const theirs: Usage[] = [];
      for (let i = 0; i < (quick ? 3 : 9); i++) {
        theirs.push(await usageOf([process.execPath, reader, fleet!], out!));
        ours.push(await usageOf(highwater('job', fleet!, '--json'), out!));
      }
      const [took, read] = [best(ours, 'seconds'), best(theirs, 'seconds')];
      const said = (seconds: number) => `${seconds.toFixed(2)} s`;
      const what = `job, ${RANKS} ranks`;
      return [
        {
          ...ratioAtMost(what, 'readFileSync of each', said(took), took / read, LIMIT.times),
          theirs: said(read),
        },
        atMost(
          `${what}: most memory`,
          Math.max(...ours.map(({ peakBytes }) => peakBytes)) / 1e6,
          LIMIT.megabytes,
          'MB',
          0,
        ),
      ];
    }),
};
