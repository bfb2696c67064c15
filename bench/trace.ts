import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { highwater } from './recorders.ts';
import { atMost, type Benchmark, type Row, ratioAtMost } from './result.ts';
import { withFolder } from './scratch.ts';
import { makeTrace } from './synthetic-trace.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
/** A real trace, where the inputs lie beside the checkout; else one made up. */
const REAL = join(HERE, '../../shared/data/torch-snapshots/h200-encoder_big.pickle.gz');
const REAL_PEAK = 421_199_144;

const TIME_LIMIT = 1 / 4;
const MEMORY_LIMIT = 1 / 3;
const GROWTH_LIMIT = 4.5;
const LARGE_LIMIT_MB = 1200;

const LOAD = 'import pickle, sys; pickle.load(open(sys.argv[1], "rb"))';
const LOAD_WITHOUT_GC = `import gc; gc.disable(); ${LOAD}`;

export const trace: Benchmark = {
  name: 'trace',
  title: 'the whole report of a memory snapshot, to Python reading the file and no more',
  run: ({ quick }) =>
    withFolder(async (folder) => {
      const out = join(folder, 'report.json');
      const snapshot = await threeMillion(join(folder, 'three.pickle'));
      const ours = await report(snapshot, out);
      const python = await usage(out, ['python3', '-c', LOAD, snapshot.path]);
      const withoutGc = await usage(out, ['python3', '-c', LOAD_WITHOUT_GC, snapshot.path]);
      return [
        { what: 'snapshot', figure: `${snapshot.what}, ${megabytes(snapshot.bytes)}` },
        ratioAtMost(
          'time of report --json',
          `pickle.load ${seconds(python)}`,
          seconds(ours),
          round(ours.seconds / python.seconds),
          TIME_LIMIT,
        ),
        {
          what: 'the same',
          peer: `pickle.load without gc ${seconds(withoutGc)}`,
          figure: seconds(ours),
          ratio: ours.seconds / withoutGc.seconds,
        },
        ratioAtMost(
          'peak memory',
          `pickle.load ${megabytes(python.peakBytes)}`,
          megabytes(ours.peakBytes),
          round(ours.peakBytes / python.peakBytes),
          round(MEMORY_LIMIT),
        ),
        ...(await growth(folder, quick ? 750_000 : 3_000_000)),
      ];
    }),
};

/** Four times the events in no more than four and a half times the time. */
async function growth(folder: string, events: number): Promise<Row[]> {
  const out = join(folder, 'report.json');
  const path = join(folder, 'made.pickle');
  const few = await report(madeUp(path, events), out);
  const large = madeUp(path, 4 * events);
  const many = await report(large, out);
  return [
    { what: `${large.what}`, figure: `${seconds(many)}, ${megabytes(large.bytes)} file` },
    ratioAtMost(
      'time of four times the events',
      `${events / 1e6} million ${seconds(few)}`,
      seconds(many),
      round(many.seconds / few.seconds),
      GROWTH_LIMIT,
    ),
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

interface Usage {
  readonly exit: number;
  readonly seconds: number;
  readonly peakBytes: number;
}

/** The report, which must also be right. */
async function report(snapshot: Snapshot, out: string): Promise<Usage> {
  const used = await usage(out, highwater('report', '--json', snapshot.path));
  const { devices } = JSON.parse(readFileSync(out, 'utf8')) as {
    devices: { peakRequestedBytes: number }[];
  };
  const found = devices[0]?.peakRequestedBytes;
  if (found !== snapshot.peakRequestedBytes) {
    throw new Error(`the peak is ${snapshot.peakRequestedBytes} bytes, the report says ${found}`);
  }
  return used;
}

async function usage(out: string, command: readonly string[]): Promise<Usage> {
  const words = [join(HERE, 'usage.py'), out, ...command];
  const { stdout } = await promisify(execFile)('python3', words);
  const used = JSON.parse(stdout) as Usage;
  if (used.exit !== 0) throw new Error(`${command.join(' ')} ended with ${used.exit}`);
  return used;
}

const seconds = (used: Usage) => `${used.seconds.toFixed(2)} s`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
const round = (ratio: number) => Math.round(ratio * 1000) / 1000;
