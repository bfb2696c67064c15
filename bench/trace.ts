import { spawnSync } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createGunzip } from 'node:zlib';
import { highwater } from './recorders.ts';
import { atMost, type Benchmark, megabytes, type Row, ratioAtMost } from './result.ts';
import { withFolder } from './scratch.ts';
import { makeTrace } from './synthetic-trace.ts';
import { best, type Usage, usageOf } from './usage.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
/** A real trace, where the inputs lie beside the checkout; else one made up. */
const REAL = join(HERE, '../../shared/data/torch-snapshots/h200-encoder_big.pickle.gz');
const REAL_PEAK = 421_199_144;

const TIME_LIMIT = 0.25;
const MEMORY_LIMIT = 0.333;
const GROWTH_LIMIT = 4.5;
const LARGE_LIMIT_MB = 1200;

const LOAD = 'import pickle, sys; pickle.load(open(sys.argv[1], "rb"))';
const LOAD_WITHOUT_GC = `import gc; gc.disable(); ${LOAD}`;

export const trace: Benchmark = {
  name: 'trace',
  title: 'the whole report of a memory snapshot, to Python reading the file and no more',
  minutes: 3,
  run: ({ quick }) =>
    withFolder(async (folder) => {
      const out = join(folder, 'report.json');
      const snapshot = await threeMillion(join(folder, 'three.pickle'));
      const [ours, python, withoutGc]: [Usage[], Usage[], Usage[]] = [[], [], []];
      // Taking turns, as neighbours on the machine come and go; the best of each counts.
      for (let round = 0; round < (quick ? 1 : 3); round++) {
        ours.push(await report(snapshot, out));
        python.push(await usageOf(['python3', '-c', LOAD, snapshot.path], out));
        withoutGc.push(await usageOf(['python3', '-c', LOAD_WITHOUT_GC, snapshot.path], out));
      }
      const version = pythonVersion();
      return [
        { what: 'snapshot', figure: `${snapshot.what}, ${megabytes(snapshot.bytes)}` },
        against(
          'time of report --json',
          `pickle.load, ${version}`,
          ours,
          python,
          'seconds',
          TIME_LIMIT,
        ),
        against('the same', 'pickle.load without gc', ours, withoutGc, 'seconds'),
        against('peak memory', `pickle.load, ${version}`, ours, python, 'peakBytes', MEMORY_LIMIT),
        ...(await growth(folder, quick ? 750_000 : 3_000_000)),
      ];
    }),
};

function against(
  what: string,
  peer: string,
  ours: readonly Usage[],
  theirs: readonly Usage[],
  key: 'seconds' | 'peakBytes',
  limit?: number,
): Row {
  const [own, other] = [best(ours, key), best(theirs, key)];
  const show = key === 'seconds' ? seconds : megabytes;
  const ratio = own / other;
  const figures = { what, figure: show(own), peer, theirs: show(other), ratio };
  return limit === undefined
    ? figures
    : { ...figures, ...ratioAtMost(what, peer, show(own), ratio, limit) };
}

function pythonVersion(): string {
  const { stdout } = spawnSync('python3', ['--version'], { encoding: 'utf8' });
  return `C${stdout.trim()}`;
}

/** Four times the events in no more than four and a half times the time. */
async function growth(folder: string, events: number): Promise<Row[]> {
  const out = join(folder, 'report.json');
  const path = join(folder, 'made.pickle');
  const few = await report(madeUp(path, events), out);
  const large = madeUp(path, 4 * events);
  const many = await report(large, out);
  return [
    { what: large.what, figure: `${seconds(many.seconds)}, ${megabytes(large.bytes)} file` },
    {
      ...ratioAtMost(
        'time of four times the events',
        `${events / 1e6} million`,
        seconds(many.seconds),
        many.seconds / few.seconds,
        GROWTH_LIMIT,
      ),
      theirs: seconds(few.seconds),
    },
    atMost('peak memory of the larger', many.peakBytes / 1e6, LARGE_LIMIT_MB, 'MB', 0),
  ];
}

interface Snapshot {
  readonly path: string;
  readonly what: string;
  readonly bytes: number;
  readonly peakRequestedBytes: number;
}

async function threeMillion(path: string): Promise<Snapshot> {
  if (!existsSync(REAL)) return madeUp(path, 3_000_000);
  await pipeline(createReadStream(REAL), createGunzip(), createWriteStream(path));
  const { size: bytes } = statSync(path);
  return { path, what: 'encoder_big, 2.93 million events', bytes, peakRequestedBytes: REAL_PEAK };
}

function madeUp(path: string, events: number): Snapshot {
  const { bytes, peakRequestedBytes, ...made } = makeTrace(path, events);
  return {
    path,
    what: `made up, ${(made.events / 1e6).toFixed(2)} million events`,
    bytes,
    peakRequestedBytes,
  };
}

/** The report, which must also be right. */
async function report(snapshot: Snapshot, out: string): Promise<Usage> {
  const used = await usageOf(highwater('report', '--json', snapshot.path), out);
  const { devices } = JSON.parse(readFileSync(out, 'utf8')) as {
    devices: { peakRequestedBytes: number }[];
  };
  const found = devices[0]?.peakRequestedBytes;
  if (found !== snapshot.peakRequestedBytes) {
    throw new Error(`the peak is ${snapshot.peakRequestedBytes} bytes, the report says ${found}`);
  }
  return used;
}

const seconds = (value: number) => `${value.toFixed(2)} s`;
