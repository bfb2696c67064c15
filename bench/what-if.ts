import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_CONF, parseConf } from '../src/analyses/allocations/replay/conf.ts';
import { type Program, programOf } from '../src/analyses/allocations/replay/program.ts';
import { reproduce } from '../src/analyses/allocations/replay/recorded-run.ts';
import { replay } from '../src/analyses/allocations/replay/replay.ts';
import { floorOf } from '../src/analyses/allocations/what-if/floor.ts';
import { otherDevice } from '../src/analyses/allocations/what-if/other-devices.ts';
import { findSmallest } from '../src/analyses/allocations/what-if/smallest.ts';
import { HOST_DEVICE } from '../src/model/allocations/actions.ts';
import { traces } from '../src/model/allocations/trace.ts';
import { openInput } from '../src/open/open.ts';
import { highwater } from './recorders.ts';
import { type Benchmark, percent, type Row, ratioAtMost } from './result.ts';
import { withFolder } from './scratch.ts';
import { best, type Usage, usageOf } from './usage.ts';

const SHARED = join(import.meta.dirname, '../../shared/data');
const FIXTURES = join(import.meta.dirname, '../test/fixtures/snapshots');
const LARGE = 'h200-encoder_big.pickle.gz';

const REPRODUCED = 0.95;
const GROWING = 0.005;
const WITHIN = [
  { error: 0.01, share: 0.92 },
  { error: 0.05, share: 0.97 },
];
const OUTCOME = 0.97;
const TIME_LIMIT = 1.5;
const BISECTION_LIMIT = 5;
/** The one of the programs with known truth that has most events, 223,882, and needs most probes. */
const BISECTIONS = 5;
const BISECTED = 'what-if/kv_serving.pickle.gz';

export const whatIf: Benchmark = {
  name: 'what-if',
  title: 'recorded runs reproduced, other settings against what torch did, and what it costs',
  minutes: 3,
  run: async ({ quick }) => [
    ...(await reproduction()),
    ...(await truth()),
    ...(await cost(quick ? 1 : 3)),
    ...(await bisection()),
  ],
};

/** A line whose share must not be less than a limit. */
const atLeast = (what: string, share: number, limit: number, of: number): Row => ({
  what,
  figure: `${percent(share)} of ${of}`,
  limit: `≥ ${percent(limit)}`,
  pass: share >= limit,
});

const snapshotsIn = (folder: string) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.pickle(\.gz)?$/.test(name))
        .map((name) => join(folder, name))
    : [];

async function reproduction(): Promise<Row[]> {
  const paths = [FIXTURES, join(SHARED, 'torch-snapshots'), join(SHARED, 'what-if')].flatMap(
    snapshotsIn,
  );
  const others: Row[] = [];
  let [exact, all] = [0, 0];
  for (const path of paths) {
    const recording = await openInput(path);
    for (const trace of traces(recording).filter(({ device }) => device !== HOST_DEVICE)) {
      const device = otherDevice(recording, trace);
      const run = reproduce(recording, programOf(recording, trace));
      if (device === null) all++;
      if (run.exact && device === null) exact++;
      if (run.exact) continue;
      const why = device === null ? 'not reproduced' : `of an ${device}, whose rules differ`;
      others.push({ what: path.split('/').at(-1)!, figure: `device ${trace.device}: ${why}` });
    }
  }
  return [
    atLeast(
      'recorded runs of CUDA: every cudaMalloc in order, and the peak',
      exact / all,
      REPRODUCED,
      all,
    ),
    ...others,
  ];
}

interface Truth {
  readonly program: string;
  readonly setting: string;
  readonly limit_bytes?: number;
  readonly reserved_peak: number;
  readonly oom: boolean;
}

async function truth(): Promise<Row[]> {
  const folder = [join(SHARED, 'what-if'), join(FIXTURES, 'what-if')].find(existsSync)!;
  const runs: Truth[] = readFileSync(join(folder, 'truth.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const programs = new Map<string, Program>();
  const found: { run: Truth; error: number; right: boolean }[] = [];
  for (const run of runs) {
    const program =
      programs.get(run.program) ?? (await programIn(join(folder, `${run.program}.pickle.gz`)));
    programs.set(run.program, program);
    const bytes = run.limit_bytes;
    const limit = bytes === undefined ? null : { bytes, by: 'fraction' as const };
    const got = replay(program, { conf: parseConf(run.setting), limit, start: 'placed' });
    const error = Math.abs(got.reservedPeakBytes / run.reserved_peak - 1);
    found.push({ run, error, right: (got.diesAt !== null) === run.oom });
  }
  const share = (list: typeof found, holds: (one: (typeof found)[number]) => boolean) =>
    list.filter(holds).length / list.length;
  const growing = found.filter(({ run }) => run.setting.includes('expandable'));
  return [
    atLeast(
      `expandable_segments: peak within ${percent(GROWING)}`,
      share(growing, ({ error }) => error <= GROWING),
      1,
      growing.length,
    ),
    ...WITHIN.map(({ error: most, share: least }) =>
      atLeast(
        `all settings and limits: peak within ${percent(most)}`,
        share(found, ({ error }) => error <= most),
        least,
        found.length,
      ),
    ),
    atLeast(
      'runs or dies',
      share(found, ({ right }) => right),
      OUTCOME,
      found.length,
    ),
  ];
}

async function programIn(path: string): Promise<Program> {
  const recording = await openInput(path);
  return programOf(recording, traces(recording)[0]!);
}

/** The whole command against the whole report of the same file, taking turns. */
async function cost(rounds: number): Promise<Row[]> {
  const path = join(SHARED, 'torch-snapshots', LARGE);
  if (!existsSync(path)) return [];
  return withFolder(async (folder) => {
    const out = join(folder, 'out');
    const ways = {
      report: ['report', path],
      'what-if --set expandable_segments:True': [
        'what-if',
        path,
        '--set',
        'expandable_segments:True',
      ],
      'what-if': ['what-if', path],
    };
    const used = new Map<string, Usage[]>(Object.keys(ways).map((name) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      for (const [name, words] of Object.entries(ways)) {
        used.get(name)!.push(await usageOf(highwater(...words), out));
      }
    }
    const seconds = (name: string) => best(used.get(name)!, 'seconds');
    return Object.keys(ways)
      .slice(1)
      .map((name) => ({
        ...ratioAtMost(
          `time of ${name}, 2.93 million events`,
          'report',
          `${seconds(name).toFixed(2)} s`,
          seconds(name) / seconds('report'),
          TIME_LIMIT,
        ),
        theirs: `${seconds('report').toFixed(2)} s`,
      }));
  });
}

/** The smallest card, against one replay. */
async function bisection(): Promise<Row[]> {
  const path = join(SHARED, BISECTED);
  if (!existsSync(path)) return [];
  const program = await programIn(path);
  const options = { conf: DEFAULT_CONF, start: 'placed' } as const;
  // The best of a few, of both: the first of each is compiled on the way.
  const timed = (act: () => void) =>
    Math.min(
      ...Array.from({ length: BISECTIONS }, () => {
        const start = process.cpuUsage().user;
        act();
        return (process.cpuUsage().user - start) / 1e6;
      }),
    );
  const { reservedPeakBytes: peakBytes } = replay(program, { ...options, limit: null });
  const search = { options, floorBytes: floorOf(program), peakBytes };
  const once = timed(() => replay(program, { ...options, limit: null }));
  const whole = timed(() => findSmallest(program, search));
  return [
    {
      ...ratioAtMost(
        'CPU of --smallest, 223,882 events',
        'one replay',
        `${whole.toFixed(2)} s`,
        whole / once,
        BISECTION_LIMIT,
      ),
      theirs: `${once.toFixed(2)} s`,
    },
  ];
}
