/**
 * Who may import whom. Data flows one way: sources and formats fill the model, analyses read it,
 * views draw results, and the front ends sit on top. See ARCHITECTURE.md. What is allowed and not
 * used is a problem too, so that the table stays true.
 */
export const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'index.ts': ['base', 'sdk'],
  base: [],
  model: ['base'],
  formats: ['base', 'model'],
  sources: ['base', 'model'],
  metrics: ['base', 'model'],
  record: ['base', 'model', 'formats', 'sources', 'metrics'],
  node: ['base', 'model', 'sources', 'record', 'metrics'],
  analyses: ['base', 'model'],
  views: ['base', 'model', 'analyses (types)'],
  open: ['base', 'model', 'formats', 'sources', 'analyses'],
  store: ['base', 'model', 'analyses', 'open'],
  sweep: ['base', 'model', 'sources', 'record', 'open', 'analyses'],
  answers: ['base', 'model', 'analyses'],
  server: ['base', 'model', 'record', 'open', 'sweep', 'analyses', 'answers'],
  web: ['base', 'model', 'analyses', 'views', 'viewer (types)'],
  viewer: ['base', 'model', 'formats', 'open', 'analyses', 'answers'],
  sdk: ['base', 'model', 'formats', 'sources', 'record', 'open', 'sweep', 'analyses', 'views'],
  cli: [
    'base',
    'model',
    'formats',
    'sources',
    'metrics',
    'record',
    'node',
    'open',
    'sweep',
    'store',
    'analyses',
    'views',
    'answers',
    'server',
  ],
};

/** Folders that may use Node's own modules and native packages; all others also run in a browser. */
export const NODE_ALLOWED = [
  'sources',
  'metrics',
  'record',
  'node',
  'open',
  'sweep',
  'store',
  'server',
  'sdk',
  'cli',
  'model/disk',
];
export const NATIVE = ['koffi', '@resvg/resvg-js'];

/** Families whose members never import each other, only these shared files. */
export const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  formats: [
    'format.ts',
    'heap-format.ts',
    'heap-profile',
    'heaps.ts',
    'input.ts',
    'index.ts',
    'sample-clock.ts',
    'log-lines',
    'pickle',
  ],
  sources: ['source.ts', 'proc.ts', 'own-work.ts', 'mapping.ts', 'page-size.ts', 'index.ts'],
  'sources/gpu': ['backend.ts', 'card-table.ts', 'process-rounds.ts', 'index.ts'],
  analyses: [
    'report.ts',
    'report-facts.ts',
    'verdict',
    'trace-only.ts',
    'out-of-memory.ts',
    'compare',
    'job',
    'panels',
    'timing.ts',
    'ending.ts',
    'stopped.ts',
    'trust.ts',
    'running.ts',
    'listed-run.ts',
    'live.ts',
  ],
};
