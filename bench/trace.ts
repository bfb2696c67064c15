import { createReadStream, createWriteStream, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createGunzip } from 'node:zlib';
import { type Pairs, pairedRatio } from './paired.ts';
import { pythonOf } from './pythons.ts';
import { highwater } from './recorders.ts';
import {
  absent,
  atMost,
  type Benchmark,
  megabytes,
  type Row,
  ratioAtMost,
  ratioWithin,
} from './result.ts';
import { withFolder } from './scratch.ts';
import { makeTrace } from './synthetic-trace.ts';
import { best, type Usage, usageOf } from './usage.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
/** A real trace, where the inputs lie beside the checkout; else one made up. */
const REAL = join(HERE, '../../shared/data/torch-snapshots/h200-encoder_big.pickle.gz');
const REAL_PEAK = 421_199_144;

/** What is held against: `pickle.load` of both, of which the second makes fewer passes of its collector. */
const PEERS = [
  { version: '3.11', time: 0.25 },
  { version: '3.12', time: 0.4 },
];
const MEMORY_LIMIT = 0.15;
const GROWTH_LIMIT = 4.5;
const LARGE_LIMIT_MB = 1200;

const LOAD = 'import pickle, sys; pickle.load(open(sys.argv[1], "rb"))';
const LOAD_WITHOUT_GC = `import gc; gc.disable(); ${LOAD}`;

export const trace: Benchmark = {
  name: 'trace',
  title: 'the whole report of a memory snapshot, to Python reading the file and no more',
  minutes: 6,
  run: ({ quick }) =>
    withFolder(async (folder) => {
      const out = join(folder, 'report.json');
      const snapshot = await threeMillion(join(folder, 'three.pickle'));
      const rows: Row[] = [
        { what: 'snapshot', figure: `${snapshot.what}, ${megabytes(snapshot.bytes)}` },
      ];
      for (const { version, time } of PEERS) {
        const python = pythonOf(version);
        const peer = `pickle.load, CPython ${version}`;
        if (python === null) rows.push(absent('time of report --json', peer));
        else rows.push(...(await inTurns(snapshot, python, peer, time, out, quick ? 1 : 5)));
      }
      return [...rows, ...(await growth(folder, quick ? 750_000 : 3_000_000))];
    }),
};

/** One right after the other, as neighbours on the machine come and go: what counts is the ratio within a pair. */
async function inTurns(
  snapshot: Snapshot,
  python: string,
  peer: string,
  timeLimit: number,
  out: string,
  rounds: number,
): Promise<Row[]> {
  const uses: (readonly [Usage, Usage, Usage])[] = [];
  for (let round = 0; round < rounds; round++) {
    uses.push([
      await report(snapshot, out),
      await usageOf([python, '-c', LOAD, snapshot.path], out),
      await usageOf([python, '-c', LOAD_WITHOUT_GC, snapshot.path], out),
    ]);
  }
  const each = (which: 0 | 1 | 2) => uses.map((turn) => turn[which]);
  const [ours, theirs, withoutGc] = [each(0), each(1), each(2)];
  const pairs: Pairs = uses.map(([own, other]) => [own.seconds, other.seconds]);
  const time = against('time of report --json', peer, ours, theirs, 'seconds');
  const memory = against('peak memory', peer, ours, theirs, 'peakBytes');
  return [
    rounds > 1
      ? ratioWithin(time, pairedRatio(pairs), timeLimit)
      : limited(time, time.ratio!, timeLimit),
    against('the same', `${peer}, without gc`, ours, withoutGc, 'seconds'),
    against('CPU of report --json', peer, ours, theirs, 'cpuSeconds'),
    limited(memory, memory.ratio!, MEMORY_LIMIT),
  ];
}

const limited = (row: Row, ratio: number, limit: number): Row => ({
  ...row,
  ...ratioAtMost(row.what, row.peer!, row.figure, ratio, limit),
});

/** The best of each. */
function against(
  what: string,
  peer: string,
  ours: readonly Usage[],
  theirs: readonly Usage[],
  key: 'seconds' | 'cpuSeconds' | 'peakBytes',
): Row {
  const [own, other] = [best(ours, key), best(theirs, key)];
  const show = key === 'peakBytes' ? megabytes : seconds;
  return { what, figure: show(own), peer, theirs: show(other), ratio: own / other };
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
