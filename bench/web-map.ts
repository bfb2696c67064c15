import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quantileSorted } from '../src/base/stats.ts';
import { atMost, type Benchmark, type Row } from './result.ts';
import { withFolder } from './scratch.ts';
import { makeTrace } from './synthetic-trace.ts';
import { withMap } from './web-page.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
/** A real trace, where the inputs lie beside the checkout; else one made up. */
const REAL = join(HERE, '../../shared/data/torch-snapshots/h200-encoder_big.pickle.gz');

const OPEN_LIMIT_S = 5;
const PSS_LIMIT_MB = 1000;
const LEAST_FRAMES = 30;
const HOVER_LIMIT_MS = 16;

export const webMap: Benchmark = {
  name: 'web-map',
  title: 'the map of allocations in a browser, with software rendering',
  minutes: 2,
  run: ({ quick }) =>
    withFolder(async (folder) => {
      const real = existsSync(REAL);
      const three = real ? REAL : made(join(folder, 'three.pickle'), 3_000_000);
      const rows = await measure(real ? 'encoder_big' : 'three million made up', three, true);
      if (quick) return rows;
      const ten = made(join(folder, 'ten.pickle'), 10_000_000);
      return [...rows, ...(await measure('ten million made up', ten, false))];
    }),
};

function made(path: string, events: number): string {
  makeTrace(path, events);
  return path;
}

/** `judged`: whether opening and memory have limits; moving and pointing always do. */
async function measure(what: string, file: string, judged: boolean): Promise<Row[]> {
  return withMap(file, async ({ page, seconds, pss }) => {
    const opened = atMost(`${what}: view to map`, seconds, OPEN_LIMIT_S, 's');
    const rows: Row[] = [judged ? opened : { what: opened.what, figure: opened.figure }];
    for (const order of ['stacked', 'address'] as const) {
      for (const gesture of ['zoom', 'pan']) {
        const how = JSON.stringify({ order, gesture, ms: 3000 });
        const moved = await page.evaluate<Moving>(`gestures.moveAbout(${how})`);
        rows.push(moving(`${what}: ${gesture}, ${order}`, moved));
      }
      const pointed = await page.evaluate<Pointing>('gestures.pointAbout(200)');
      rows.push(pointing(`${what}: hover, ${order}`, pointed));
    }
    const memory = atMost(`${what}: server and renderer`, pss() / 1e6, PSS_LIMIT_MB, 'MB PSS', 0);
    rows.push(judged ? memory : { what: memory.what, figure: memory.figure });
    return rows;
  });
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
