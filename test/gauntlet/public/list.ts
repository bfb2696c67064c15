import type { ProgramSet } from '../programs.ts';
import type { Truth } from '../truth.ts';

/** A program that somebody else wrote, run as it is. */
export interface PublicProgram {
  readonly name: string;
  readonly set: ProgramSet;
  /** Pinned packages that hold it and what it needs; one kind of registry. */
  readonly python?: readonly string[];
  readonly npm?: readonly string[];
  /** `python` and `node` as words; `in:PATH` is a file of the installed packages, `ours:NAME` one of `drivers/`. */
  readonly run: readonly string[];
  readonly truth: Partial<Truth> & { readonly leak: boolean; readonly why: string };
}

const PYPERFORMANCE = ['pyperformance==1.14.0', 'pyperf==2.10.0', 'psutil==7.2.2'];
const AUTOCANNON = ['autocannon@8.0.0'];

const AIOHTTP_NEEDS = [
  'aiohappyeyeballs==2.7.1',
  'aiosignal==1.4.0',
  'attrs==26.1.0',
  'frozenlist==1.8.0',
  'idna==3.20',
  'multidict==6.9.1',
  'propcache==0.5.4',
  'typing_extensions==4.16.0',
  'yarl==1.25.1',
];

/** A leak that was published: the driver is ours, the defect and its mending are the package's. */
const aiohttp = (version: string, truth: PublicProgram['truth']): PublicProgram => ({
  name: `aiohttp ${version} 405`,
  set: 'held-out',
  python: [`aiohttp==${version}`, ...AIOHTTP_NEEDS],
  run: ['python', 'ours:aiohttp_not_allowed.py'],
  truth,
});

/** A benchmark of pyperformance: a manager process, and a worker that times the same work again and again, for about a minute. */
const timed = (name: string, set: ProgramSet, ...args: string[]): PublicProgram => ({
  name: `pyperformance ${name}`,
  set,
  python: PYPERFORMANCE,
  run: [
    'python',
    `in:pyperformance/data-files/benchmarks/bm_${name}/run_benchmark.py`,
    '-p',
    '1',
    '-w',
    '1',
    ...args,
  ],
  truth: { leak: false, why: 'each value repeats the same work and keeps one number of it' },
});

/** A package's own benchmark in Node, ended after a minute if it goes on. */
const looped = (
  file: string,
  set: ProgramSet,
  npm: readonly string[],
  ends: number,
): PublicProgram => ({
  name: `node ${file}`,
  set,
  npm,
  run: ['timeout', '60', 'node', `in:${file}`],
  truth: { leak: false, ends, why: 'the same calls over and over; nothing of a call outlives it' },
});

export const PUBLIC: readonly PublicProgram[] = [
  timed('nbody', 'tuning', '-n', '80'),
  timed('deltablue', 'held-out', '-n', '80'),
  timed('raytrace', 'tuning', '-n', '24'),
  timed('json_dumps', 'held-out', '-n', '60'),
  timed('sqlite_synth', 'tuning', '-n', '60'),
  timed('gc_collect', 'held-out', '-n', '40'),
  timed('logging', 'tuning', '-n', '20'),
  timed('concurrent_imap', 'held-out', '-n', '32'),
  timed('deepcopy', 'tuning', '-n', '20'),
  timed('pyflate', 'held-out', '-n', '16'),
  timed('regex_compile', 'tuning', '-n', '60'),
  timed('xml_etree', 'held-out', '-n', '12'),
  looped('fastq/bench.js', 'tuning', ['fastq@1.20.3', 'async@3.2.6', 'neo-async@2.6.2'], 124),
  looped('asynckit/bench.js', 'held-out', ['asynckit@0.4.0', 'async@3.2.6', 'benchmark@2.1.4'], 0),
  looped('sonic-boom/bench.js', 'tuning', ['sonic-boom@5.0.2', 'fastbench@1.0.1'], 124),
  looped(
    'thread-stream/bench.js',
    'held-out',
    ['thread-stream@4.2.1', 'sonic-boom@5.0.2', 'fastbench@1.0.1'],
    124,
  ),
  looped(
    'find-my-way/benchmark/bench.js',
    'tuning',
    ['find-my-way@9.10.0', 'benchmark@2.1.4'],
    124,
  ),
  looped(
    'fast-json-stringify/benchmark/bench.js',
    'held-out',
    ['fast-json-stringify@7.3.5', 'tinybench@6.2.3'],
    124,
  ),
  looped(
    'pino/benchmarks/internal/just-pino.bench.js',
    'tuning',
    ['pino@10.4.0', 'fastbench@1.0.1'],
    0,
  ),
  looped('autocannon/samples/track-run.js', 'tuning', AUTOCANNON, 124),
  looped('autocannon/samples/request-context.js', 'held-out', AUTOCANNON, 124),
  {
    name: 'autocannon --warmup',
    set: 'held-out',
    npm: AUTOCANNON,
    run: [
      'node',
      'in:autocannon/autocannon.js',
      '-d',
      '12',
      '--on-port',
      '/',
      '--',
      'node',
      '-e',
      "require('http').createServer((q, r) => r.end('ok')).listen(0)",
    ],
    truth: {
      leak: false,
      why: 'a load generator and the smallest server: histograms of a fixed size',
    },
  },
  {
    name: 'torch simple_timeit',
    set: 'tuning',
    run: ['python', '-m', 'torch.utils.benchmark.examples.simple_timeit'],
    truth: { leak: false, needs: ['torch'], why: 'times one operation on tensors of one size' },
  },
  {
    name: 'torch compare',
    set: 'held-out',
    run: ['timeout', '30', 'python', '-m', 'torch.utils.benchmark.examples.compare'],
    truth: { leak: false, needs: ['torch'], why: 'times operations on tensors of a few sizes' },
  },
  {
    name: 'mpmath torture',
    set: 'tuning',
    run: ['timeout', '80', 'python', '-m', 'mpmath.tests.torture'],
    truth: {
      leak: false,
      ends: 124,
      needs: ['mpmath'],
      why: 'functions at rising precision; what is cached of constants is some kilobytes',
    },
  },
  {
    name: 'sympy bench_symbench',
    set: 'held-out',
    run: ['timeout', '40', 'python', '-m', 'sympy.benchmarks.bench_symbench'],
    truth: {
      leak: false,
      needs: ['sympy'],
      why: "sympy's caches have limits; each part ends with its own figures",
    },
  },
  {
    name: 'pytest networkx centrality',
    set: 'tuning',
    run: [
      'python',
      '-m',
      'pytest',
      '-q',
      '-p',
      'no:cacheprovider',
      '--pyargs',
      'networkx.algorithms.centrality',
    ],
    truth: {
      leak: false,
      needs: ['pytest', 'networkx'],
      why: 'small graphs, each test with its own',
    },
  },
  {
    name: 'pytest networkx community',
    set: 'held-out',
    run: [
      'python',
      '-m',
      'pytest',
      '-q',
      '-p',
      'no:cacheprovider',
      '--pyargs',
      'networkx.algorithms.community',
    ],
    truth: {
      leak: false,
      needs: ['pytest', 'networkx'],
      why: 'small graphs, each test with its own',
    },
  },
  {
    name: 'regrtest test_dict test_set',
    set: 'tuning',
    run: [
      'timeout',
      '60',
      'python',
      '-m',
      'test',
      '--forever',
      'test_dict',
      'test_set',
      'test_list',
    ],
    truth: {
      leak: false,
      ends: 124,
      needs: ['test.libregrtest'],
      why: "CPython's own tests, which it searches for leaked references",
    },
  },
  {
    name: 'timeit sorted',
    set: 'held-out',
    run: [
      'python',
      '-m',
      'timeit',
      '-r',
      '60',
      '-n',
      '40',
      'sorted(range(50000), key=lambda x: -x)',
    ],
    truth: { leak: false, why: 'a list of one size, made and dropped' },
  },
  aiohttp('3.10.10', {
    leak: true,
    slope: [8000, 10_500],
    per: 'iteration',
    culprit: ['main|python'],
    why: 'CVE-2024-52303: each request that is not allowed stays in a cache; by its own RSS 9.0 kB a request',
  }),
  aiohttp('3.10.11', {
    leak: false,
    why: 'CVE-2024-52303 is mended in it: by its own RSS 0.1 kB a request, of the first thousands',
  }),
];
