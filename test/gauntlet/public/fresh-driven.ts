import type { PublicProgram } from './kinds.ts';
import { FASTAPI, MATPLOTLIB, PANDAS, SCIKIT_LEARN, TRANSFORMERS } from './pins.ts';

type Slope = readonly [number, number];

/** A driver of ours over a public package: with the word that makes it keep things, and with the one that does not. */
interface Pair {
  readonly name: string;
  readonly driver: string;
  readonly python?: readonly string[];
  readonly npm?: readonly string[];
  readonly needs?: readonly string[];
  readonly leak: { readonly word: string; readonly slope: Slope; readonly why: string };
  readonly per: 'iteration' | 'second';
  readonly culprit: string;
  readonly clean: { readonly word: string; readonly why: string };
}

function pair({ name, driver, python, npm, needs = [], leak, per, culprit, clean }: Pair) {
  const run = (word: string) => [npm ? 'node' : 'python', `ours:${driver}`, word];
  const pins = npm ? { npm } : { python };
  const set = 'fresh' as const;
  const leaks: PublicProgram = {
    name: `${name} ${leak.word}`,
    set,
    ...pins,
    run: run(leak.word),
    truth: { leak: true, slope: leak.slope, per, culprit: [culprit], needs, why: leak.why },
  };
  const cleans: PublicProgram = {
    name: `${name} ${clean.word}`,
    set,
    ...pins,
    run: run(clean.word),
    truth: { leak: false, needs, why: clean.why },
  };
  return [leaks, cleans];
}

/** A leak that was published, and its mending: what differs is the version. */
const multidict = (version: string, truth: PublicProgram['truth']): PublicProgram => ({
  name: `multidict ${version} emptied`,
  set: 'fresh',
  python: [`multidict==${version}`],
  run: ['python', 'ours:multidicts.py'],
  truth,
});

/** Written by somebody who had not seen the rules, and run without Highwater only. */
export const FRESH_DRIVEN: readonly PublicProgram[] = [
  ...pair({
    name: 'lxml iterparse',
    driver: 'iterparse.py',
    python: ['lxml==6.1.3'],
    leak: {
      word: 'kept',
      slope: [1_150_000, 1_450_000],
      why: 'sixty records a second of 41 elements; by its own RSS 1.29 MB a second',
    },
    per: 'second',
    culprit: 'main|native|python|lxml',
    clean: { word: 'cleared', why: 'a record and all before it are removed when it is done' },
  }),
  ...pair({
    name: 'pandas concat',
    driver: 'concat.py',
    python: PANDAS,
    needs: ['numpy'],
    leak: {
      word: 'all',
      slope: [39_000, 95_000],
      why: 'a thousand rows of 40 bytes stay; while it copies, both the old and the new frame are there',
    },
    per: 'iteration',
    culprit: 'main|python|frame',
    clean: { word: 'last', why: 'after forty of four hundred chunks it has always as many rows' },
  }),
  ...pair({
    name: 'matplotlib figures',
    driver: 'figures.py',
    python: MATPLOTLIB,
    needs: ['numpy'],
    leak: {
      word: 'open',
      slope: [1_450_000, 2_000_000],
      why: 'pyplot knows each figure, with its canvas of 600 x 300 pixels; by its own RSS 1.7 MB',
    },
    per: 'iteration',
    culprit: 'main|python|figure',
    clean: { word: 'closed', why: 'each figure is closed in the epoch that made it' },
  }),
  ...pair({
    name: 'scikit-learn forests',
    driver: 'forests.py',
    python: SCIKIT_LEARN,
    needs: ['numpy'],
    leak: {
      word: 'kept',
      slope: [190_000, 245_000],
      why: 'ten trees of about 250 nodes of 80 bytes in each trial',
    },
    per: 'iteration',
    culprit: 'main|python|native|results',
    clean: { word: 'best', why: 'one forest of all is kept' },
  }),
  ...pair({
    name: 'transformers generate',
    driver: 'generate.py',
    python: TRANSFORMERS,
    needs: ['torch', 'numpy'],
    leak: {
      word: 'caches',
      slope: [74_000, 120_000],
      why: 'keys and values of 36 tokens are 74 kB, and the allocator has holes beside them',
    },
    per: 'iteration',
    culprit: 'main|python|tensor|results',
    clean: { word: 'texts', why: 'the tokens of the last prompt are kept' },
  }),
  ...pair({
    name: 'fastapi history',
    driver: 'history_api.py',
    python: FASTAPI,
    leak: {
      word: 'all',
      slope: [27_000, 32_000],
      why: '700 floats of 32 bytes and a list stay of each request',
    },
    per: 'iteration',
    culprit: 'main|python|history',
    clean: {
      word: 'last',
      why: 'a hundred requests of 640 are remembered',
    },
  }),
  ...pair({
    name: 'express-session',
    driver: 'sessions.cjs',
    npm: ['express@5.3.0', 'express-session@1.19.0'],
    leak: {
      word: 'each',
      slope: [14_500, 30_000],
      why: 'a session of 15 kB for each visit; V8 lets garbage grow with what stays',
    },
    per: 'iteration',
    culprit: 'main|node',
    clean: { word: 'logged-in', why: 'nobody logs in, and only who does has a session' },
  }),
  ...pair({
    name: 'ws clients',
    driver: 'sockets.cjs',
    npm: ['ws@8.23.0'],
    leak: {
      word: 'stay',
      slope: [41_000, 90_000],
      why: 'ten texts of 4 kB and a socket; V8 lets garbage grow with what stays',
    },
    per: 'iteration',
    culprit: 'main|node',
    clean: { word: 'leave', why: 'the list is empty between two visits' },
  }),
  multidict('6.6.3', {
    leak: true,
    slope: [560_000, 680_000],
    per: 'second',
    culprit: ['main|native|python'],
    why: 'its table is not freed when the last item is deleted (mended in 6.6.4): by its own RSS 1480 bytes for each of four hundred requests a second',
  }),
  multidict('6.6.4', { leak: false, why: 'the leak of 6.6.3 is mended in it' }),
];
