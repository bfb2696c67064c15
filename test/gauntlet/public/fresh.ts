import { type PublicProgram, timedWith } from './kinds.ts';
import { FASTAPI, PANDAS, SCIKIT_LEARN } from './pins.ts';

const GAMES = ['pygame==2.6.1', 'pymunk==7.3.1', 'cffi==2.1.1', 'pycparser==3.12'];

/** An example that a package of games or of physics ships: a loop of frames without a screen, ended from outside. */
const played = (module: string): PublicProgram => ({
  name: module,
  set: 'fresh',
  python: GAMES,
  run: [
    'env',
    'SDL_VIDEODRIVER=dummy',
    'SDL_AUDIODRIVER=dummy',
    'timeout',
    '45',
    'python',
    '-m',
    module,
  ],
  truth: {
    leak: false,
    ends: 124,
    why: 'so many stars or bodies, drawn again and again; what leaves the screen is removed',
  },
});

/** One of fastify's own examples under a load generator. */
const served = (example: string): PublicProgram => ({
  name: `autocannon fastify ${example}`,
  set: 'fresh',
  npm: ['fastify@5.12.8', 'autocannon@8.0.0'],
  run: [
    'node',
    'in:autocannon/autocannon.js',
    '-d',
    '45',
    '--on-port',
    '/',
    '--',
    'node',
    `in:fastify/examples/benchmark/${example}.js`,
  ],
  truth: {
    leak: false,
    why: 'it answers the same words to every request; histograms of a fixed size',
  },
});

/** One statement over a public package for 45 seconds. */
const repeated = (
  name: string,
  python: readonly string[],
  setup: string,
  statement: string,
  needs: readonly string[] = [],
): PublicProgram => ({
  name: `timeit ${name}`,
  set: 'fresh',
  python,
  run: [
    'timeout',
    '45',
    'python',
    '-m',
    'timeit',
    '-n',
    '1000000',
    '-r',
    '1',
    '-s',
    setup,
    statement,
  ],
  truth: {
    leak: false,
    ends: 124,
    needs,
    why: 'the same statement on the same data, its result dropped',
  },
});

/** A package's own tests, more of them than the time allows. */
const tested = (python: readonly string[], ...packages: string[]): PublicProgram => ({
  name: `pytest ${packages.join(' ')}`,
  set: 'fresh',
  python,
  run: [
    'timeout',
    '50',
    'python',
    '-m',
    'pytest',
    '-q',
    '-p',
    'no:cacheprovider',
    '--pyargs',
    ...packages,
  ],
  truth: {
    leak: false,
    ends: 124,
    needs: ['pytest', 'numpy'],
    why: 'each test has its own data; of a test that passed pytest keeps some hundred bytes',
  },
});

/** Chosen by somebody who had not seen the rules, and run without Highwater only. */
export const FRESH: readonly PublicProgram[] = [
  timedWith(FASTAPI, 'fastapi', 'fresh', '-n', '26'),
  timedWith(
    ['sqlalchemy==1.4.19', 'greenlet==3.2.4'],
    'sqlalchemy_imperative',
    'fresh',
    '-n',
    '140',
  ),
  timedWith(
    ['html5lib==1.1', 'six==1.17.0', 'webencodings==0.6.1'],
    'html5lib',
    'fresh',
    '-n',
    '90',
  ),
  timedWith(['tornado==6.5.2'], 'tornado_http', 'fresh', '-n', '70'),
  timedWith(['docutils==0.18.1'], 'docutils', 'fresh', '-n', '3'),
  {
    name: 'gensim word2vec_standalone',
    set: 'fresh',
    python: ['gensim==4.4.0', 'scipy==1.17.1', 'smart-open==9.0.2', 'wrapt==2.5.2'],
    run: [
      'python',
      '-m',
      'gensim.scripts.word2vec_standalone',
      '-train',
      'in:gensim/test/test_data/lee_background.cor',
      '-output',
      '/dev/null',
      '-size',
      '100',
      '-iter',
      '300',
      '-threads',
      '1',
      '-min_count',
      '2',
    ],
    truth: {
      leak: false,
      needs: ['numpy'],
      why: 'three hundred epochs over the same 300 documents, with weights of one size',
    },
  },
  played('pygame.examples.stars'),
  played('pymunk.examples.bouncing_balls'),
  played('pymunk.examples.box2d_pyramid'),
  played('pymunk.examples.platformer'),
  played('pygame.examples.liquid'),
  played('pygame.examples.testsprite'),
  tested(SCIKIT_LEARN, 'sklearn.cluster', 'sklearn.ensemble'),
  {
    name: 'jsonschema nested_schemas',
    set: 'fresh',
    python: [
      'jsonschema==4.26.0',
      'pyperf==2.10.0',
      'attrs==26.1.0',
      'jsonschema-specifications==2025.9.1',
      'referencing==0.37.0',
      'rpds-py==2026.9.1',
      'typing-extensions==4.16.0',
    ],
    run: ['python', '-m', 'jsonschema.benchmarks.nested_schemas', '-p', '1', '-w', '1', '-n', '20'],
    truth: { leak: false, why: 'each value validates the same schemas and keeps one number of it' },
  },
  served('simple'),
  served('hooks-benchmark'),
  repeated(
    'lxml fromstring',
    ['lxml==6.1.3'],
    `from lxml import etree; text = '<r>' + '<a b="1"><c>text</c></a>' * 20000 + '</r>'`,
    "sum(len(e) for e in etree.fromstring(text).iter('a'))",
  ),
  repeated(
    'pillow resize',
    ['pillow==13.0.0'],
    "import io; from PIL import Image; file = io.BytesIO(); Image.effect_noise((1200, 800), 60).convert('RGB').save(file, 'jpeg')",
    'Image.open(io.BytesIO(file.getvalue())).resize((600, 400)).rotate(5)',
  ),
  repeated(
    'pandas groupby',
    PANDAS,
    "import numpy as np, pandas as pd; frame = pd.DataFrame({'k': np.arange(400000) % 997, 'v': np.arange(400000.0)})",
    "frame.groupby('k').v.agg(['mean', 'std']).sort_values('mean')",
    ['numpy'],
  ),
];
