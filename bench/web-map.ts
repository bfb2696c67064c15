import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { quantileSorted } from '../src/base/stats.ts';
import { pairedRatio } from './paired.ts';
import { highwater } from './recorders.ts';
import { atMost, type Benchmark, type Row, ratioAtMost, ratioWithin } from './result.ts';
import { withFolder } from './scratch.ts';
import { makeTrace } from './synthetic-trace.ts';
import { tenMinutes } from './ten-minutes.ts';
import { firstPaints, inViewer, withMap } from './web-page.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
/** A real trace, where the inputs lie beside the checkout; else one made up. */
const REAL = join(HERE, '../../shared/data/torch-snapshots/h200-encoder_big.pickle.gz');

/** Of `report --json` of the same file, which reads and judges it all. */
const OPEN_RATIO = 2.5;
const OPEN_RATIO_OF_TEN = 3;
const OPENINGS = 3;
const PSS_LIMIT_MB = 1000;
const VIEWER_LIMIT_MB = 1500;
const PAINT_RATIO = 1.5;
const PAINTS = 15;
const ONE_FILE_LIMIT_MB = 1.2;
const LEAST_FRAMES = 30;
const HOVER_LIMIT_MS = 16;

export const webMap: Benchmark = {
  name: 'web-map',
  title: 'the map of allocations in a browser, with software rendering',
  minutes: 6,
  run: ({ quick }) =>
    withFolder(async (folder) => {
      const real = existsSync(REAL);
      const three = real ? REAL : made(join(folder, 'three.pickle'), 3_000_000);
      const named = real ? 'encoder_big' : 'three million made up';
      const rows = [
        ...(await measure(named, three, OPEN_RATIO)),
        ...(await measureViewer(named, unpacked(three, join(folder, 'unpacked.pickle')))),
        ...(await measurePages(tenMinutes(join(folder, 'ten-minutes.hw')), folder)),
      ];
      if (quick) return rows;
      const ten = made(join(folder, 'ten.pickle'), 10_000_000);
      return [...rows, ...(await measure('ten million made up', ten, OPEN_RATIO_OF_TEN))];
    }),
};

function made(path: string, events: number): string {
  makeTrace(path, events);
  return path;
}

/** As most people have it on their disk. */
function unpacked(path: string, out: string): string {
  const bytes = readFileSync(path);
  writeFileSync(out, bytes[0] === 0x1f ? gunzipSync(bytes) : bytes);
  return out;
}

/** Seconds that `report --json` takes. */
function reportSeconds(file: string): number {
  const [program, ...words] = highwater('report', file, '--json');
  const began = performance.now();
  const { status } = spawnSync(program!, words, { maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`highwater report ended with ${status}`);
  return (performance.now() - began) / 1000;
}

async function measure(what: string, file: string, openRatio: number): Promise<Row[]> {
  const pairs: [number, number][] = [];
  for (let i = 1; i < OPENINGS; i++) {
    pairs.push([await withMap(file, async ({ seconds }) => seconds), reportSeconds(file)]);
  }
  return withMap(file, async ({ page, seconds, pss }) => {
    const rows: Row[] = [];
    for (const order of ['stacked', 'address'] as const) {
      for (const gesture of ['zoom', 'pan']) {
        const how = JSON.stringify({ order, gesture, ms: 3000 });
        const moved = await page.evaluate<Moving>(`gestures.moveAbout(${how})`);
        rows.push(moving(`${what}: ${gesture}, ${order}`, moved));
      }
      const pointed = await page.evaluate<Pointing>('gestures.pointAbout(200)');
      rows.push(pointing(`${what}: hover, ${order}`, pointed));
    }
    rows.push(atMost(`${what}: server and renderer`, pss() / 1e6, PSS_LIMIT_MB, 'MB PSS', 0));
    pairs.push([seconds, reportSeconds(file)]);
    return [opening(what, pairs, openRatio), ...rows];
  });
}

function opening(what: string, pairs: [number, number][], limit: number): Row {
  const best = (side: 0 | 1) => Math.min(...pairs.map((pair) => pair[side]));
  const [ours, theirs] = [best(0), best(1)];
  const row = ratioAtMost(
    `${what}: view to map, best of ${pairs.length}`,
    'report --json of the same file',
    `${ours.toFixed(2)} s`,
    ours / theirs,
    limit,
  );
  return { ...row, theirs: `${theirs.toFixed(2)} s` };
}

async function measureViewer(what: string, file: string): Promise<Row[]> {
  const { seconds, pss } = await inViewer(file);
  const row = atMost(`${what}: in the static viewer`, pss / 1e6, VIEWER_LIMIT_MB, 'MB PSS', 0);
  return [{ ...row, figure: `${row.figure}, headline after ${seconds.toFixed(1)} s` }];
}

async function measurePages(recording: string, folder: string): Promise<Row[]> {
  const pairs = await firstPaints(recording, PAINTS);
  const mean = (side: 0 | 1) => pairs.reduce((sum, pair) => sum + pair[side], 0) / pairs.length;
  const paint: Row = {
    what: 'ten minutes at 100 Hz: first paint, with its headline',
    figure: `${mean(0).toFixed(0)} ms`,
    peer: 'an empty page of the same server',
    theirs: `${mean(1).toFixed(0)} ms`,
  };
  const out = join(folder, 'one.html');
  const [program, ...words] = highwater('report', recording, '--html', out);
  if (spawnSync(program!, words).status !== 0) throw new Error('highwater report --html failed');
  const bytes = statSync(out).size;
  return [
    ratioWithin(paint, pairedRatio(pairs), PAINT_RATIO),
    atMost('ten minutes at 100 Hz: as one file', bytes / 1e6, ONE_FILE_LIMIT_MB, 'MB'),
  ];
}

/** As web-gestures.mjs counts it. */
interface Moving {
  readonly frames: number;
  /** How often every allocation was drawn anew meanwhile. */
  readonly drawn: number;
  readonly seconds: number;
}

interface Pointing {
  /** From the pointer's move to the answer, each. */
  readonly ms: readonly number[];
}

function moving(what: string, { frames, drawn, seconds }: Moving): Row {
  const rate = frames / seconds;
  return {
    what,
    figure: `${rate.toFixed(0)} frames/s, drawn anew ${(drawn / seconds).toFixed(0)} times/s`,
    limit: `≥ ${LEAST_FRAMES} frames/s`,
    pass: rate >= LEAST_FRAMES,
  };
}

function pointing(what: string, { ms }: Pointing): Row {
  const sorted = Float64Array.from(ms).sort();
  const [half, most] = [quantileSorted(sorted, 0.5), quantileSorted(sorted, 0.95)];
  return {
    what,
    figure: `${half.toFixed(1)} ms, 95 of 100 within ${most.toFixed(1)} ms`,
    limit: `< ${HOVER_LIMIT_MS} ms`,
    pass: most < HOVER_LIMIT_MS,
  };
}
