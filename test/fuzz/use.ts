import { check } from '../../src/analyses/check/index.ts';
import { parseGrowth, parsePeak } from '../../src/analyses/check/limit.ts';
import { compare } from '../../src/analyses/compare/index.ts';
import { meminfoFields } from '../../src/analyses/meminfo-fields.ts';
import { report } from '../../src/analyses/report.ts';
import { defaultSeries, timeline } from '../../src/analyses/timeline.ts';
import { answer } from '../../src/answers/answer.ts';
import type { OpenInputs } from '../../src/answers/opened.ts';
import { RESOURCES } from '../../src/answers/resources/index.ts';
import { FORMATS } from '../../src/formats/index.ts';
import { summary } from '../../src/model/allocations/curve.ts';
import { lifetimes } from '../../src/model/allocations/lifetimes.ts';
import { stateAt } from '../../src/model/allocations/state.ts';
import { traces } from '../../src/model/allocations/trace.ts';
import { mergeJob } from '../../src/model/job/merge.ts';
import { matchJob } from '../../src/model/job/one-job.ts';
import { origin } from '../../src/model/origin.ts';
import { PLAIN_TABLES } from '../../src/model/plain.ts';
import type { Recording } from '../../src/model/recording.ts';
import { redactRecording } from '../../src/model/redacted.ts';
import { inOrderOfTime } from '../../src/model/schema.ts';
import { series, seriesNames } from '../../src/model/series.ts';
import { NodeReplayThread } from '../../src/server/replay-client.ts';
import { DARK, LIGHT } from '../../src/views/chart/palette.ts';
import { sceneSvg } from '../../src/views/chart/svg.ts';
import { fieldsChart } from '../../src/views/chart/timeline/fields.ts';
import { timelineChart } from '../../src/views/chart/timeline/timeline.ts';
import { chartTitle } from '../../src/views/chart/title.ts';
import { checkJunit, checkText } from '../../src/views/check/check.ts';
import { comparisonText } from '../../src/views/compare/comparison.ts';
import { resultJson } from '../../src/views/json.ts';
import { reportMarkdown } from '../../src/views/report/markdown.ts';
import { reportText } from '../../src/views/report/text.ts';
import { sampleRecording } from '../support/sample-recording.ts';
import { isRead, pick } from './target.ts';
import type { Random } from './values.ts';

/** What the commands do with a recording, once it is open. */

/**
 * All tables and series, and what they promise; then one command, by chance: all of them take too long.
 * `share`: of how many mutants, where it is the reader that is looked at more than what comes after it.
 */
export async function use(recording: Recording, random: Random, share = 1): Promise<void> {
  keepsPromises(recording);
  if (random() < share) await isRead(() => pick(random, USES)(recording, random));
}

function keepsPromises(recording: Recording): void {
  if (!Number.isFinite(origin(recording).ns)) throw new Error('no origin');
  for (const name of seriesNames(recording)) {
    const { times, values } = series(recording, name)!;
    if (times.length !== values.length) throw new Error(`${name} has other times than values`);
  }
  for (const name of recording.tables) {
    const table = recording.table(name);
    if (!inOrderOfTime(table.spec)) continue;
    let last = Number.NEGATIVE_INFINITY;
    for (const time of table.f64('time')) {
      if (!(time >= last)) throw new Error(`times of ${name} go back`);
      last = time;
    }
  }
}

type Use = (recording: Recording, random: Random) => void | Promise<void>;

const LIMITS = [
  parsePeak('tree<=1GiB'),
  parsePeak('host<=1TiB'),
  { kind: 'leak', text: 'no leak' } as const,
  parseGrowth('<=1MiB/iteration'),
];

const other = { name: 'other', recording: sampleRecording(12) };

const USES: readonly Use[] = [
  (recording) => {
    const result = report(recording);
    reportText(result, { color: true });
    reportMarkdown(result);
    JSON.parse(resultJson(result));
  },
  (recording) => {
    const result = check([report(recording)], LIMITS, []);
    checkText(result);
    checkJunit(result);
  },
  (recording) => {
    const facts = report(recording);
    const names = defaultSeries(facts);
    if (names.length === 0) return;
    const title = chartTitle(facts);
    const theme = LIGHT;
    sceneSvg(
      timelineChart(timeline(recording, names), { title, style: 'lines', theme, leak: facts.leak }),
    );
  },
  (recording) => {
    const data = meminfoFields(recording);
    if (data.fields.length === 0) return;
    sceneSvg(fieldsChart(data, { title: 'fields', theme: DARK }));
  },
  (recording) => {
    comparisonText(compare([{ name: 'this', recording }, other]));
  },
  (recording) => {
    for (const trace of traces(recording)) {
      lifetimes(trace);
      summary(trace);
      stateAt(trace, trace.events - 1);
    }
  },
  (recording, random) => {
    const format = pick(
      random,
      FORMATS.filter(({ write }) => write),
    );
    const table = format.defaultTable ? pick(random, PLAIN_TABLES) : undefined;
    for (const _ of format.write!(recording, { table }));
  },
  (recording) => void redactRecording(recording).text(0),
  (recording) => {
    const match = matchJob([{ name: 'this', recording }, other]);
    const parts = [
      { name: 'this', recording, ranks: [0] },
      { ...other, ranks: [1] },
    ];
    report(mergeJob('job', match.ok ? match.parts : parts));
  },
  askedByPage,
  askedByPage,
];

/** One thing that a page asks for. */
async function askedByPage(recording: Recording, random: Random): Promise<void> {
  const run = {
    id: '0',
    name: 'this',
    path: 'this.hw',
    recording,
    snapshots: [],
    get result() {
      return report(recording);
    },
  };
  const opened: OpenInputs = {
    runs: [run, { ...run, id: '1' }],
    inputs: ['this.hw'],
    progress() {},
    replayThread: () => new NodeReplayThread(),
  };
  const there = RESOURCES.filter((one) => one.has(opened, one.scope === 'run' ? run : undefined));
  const asked = pick(random, there);
  if (!asked) return;
  const queries = [...(asked.embed?.(opened, run) ?? ['']), '', 'row=0&from=0&to=1e9&device=0'];
  const path = asked.scope === 'run' ? `run/0/${asked.name}` : `job/${asked.name}`;
  await answer(opened, path, pick(random, queries));
}
