import type { Verb } from './verb.ts';

/** The verbs, in the order of `help --all`; `--help` has the first alone. Each is loaded only when it is used. */
export const VERBS: readonly Verb[] = [
  {
    name: 'record',
    summary: "run a command and record its memory, a process's, or the bare host's",
    first: true,
    load: () => import('./commands/record.ts'),
  },
  {
    name: 'report',
    summary: 'what happened: peaks, who held it, how it ended',
    first: true,
    load: () => import('./commands/report.ts'),
  },
  {
    name: 'view',
    summary: 'look at recordings in a browser, also while they are made',
    first: true,
    load: () => import('./commands/view.ts'),
  },
  {
    name: 'compare',
    summary: 'runs side by side: peaks, durations, one chart',
    first: true,
    load: () => import('./commands/compare.ts'),
  },
  {
    name: 'check',
    summary: 'hold a run against limits, for CI',
    first: true,
    load: () => import('./commands/check.ts'),
  },
  {
    name: 'what-if',
    summary: "torch's allocator replayed: other settings, other cards, what they save",
    first: true,
    load: () => import('./commands/what-if.ts'),
  },
  {
    name: 'job',
    summary:
      'all ranks of a job, thousands too: who died first, stands out, leaks; asked for and used',
    load: () => import('./commands/job.ts'),
  },
  {
    name: 'list',
    summary:
      'the recordings here, in the home and in temporary folders: when, peak, how they ended',
    load: () => import('./commands/list.ts'),
  },
  {
    name: 'plot',
    summary: 'a chart of memory over time, as SVG, PNG or PDF',
    load: () => import('./commands/plot.ts'),
  },
  {
    name: 'sweep',
    summary: 'run a command for each combination of parameters, side by side',
    load: () => import('./commands/sweep.ts'),
  },
  {
    name: 'heap',
    summary: 'which objects hold the memory, and who holds them',
    load: () => import('./commands/heap.ts'),
  },
  {
    name: 'snapshot',
    summary: 'what a running program holds now: tensors, objects, sizes, the allocator',
    load: () => import('./commands/snapshot.ts'),
  },
  {
    name: 'sizes',
    summary: "a process's size against what explains it: code, objects, arrays",
    load: () => import('./commands/sizes.ts'),
  },
  {
    name: 'import',
    summary: 'make a recording from a file of another tool',
    load: () => import('./commands/import.ts'),
  },
  {
    name: 'export',
    summary: 'write a recording as CSV, JSON or Arrow, many as Parquet',
    load: () => import('./commands/export.ts'),
  },
  {
    name: 'push',
    summary: 'send finished recordings to a server: ClickHouse',
    load: () => import('./commands/push.ts'),
  },
  {
    name: 'pack',
    summary: 'make one file of a recording, to share it',
    load: () => import('./commands/pack.ts'),
  },
  {
    name: 'analyze',
    summary: 'sum up logs with tagged allocation lines',
    load: () => import('./commands/analyze.ts'),
  },
  {
    name: 'node',
    summary: 'one per machine: exact peaks of every job on it, for Prometheus',
    load: () => import('./commands/node.ts'),
  },
  {
    name: 'doctor',
    summary: 'what can be measured on this machine, and how to enable the rest',
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'completion',
    summary: 'let a shell complete verbs and flags: bash, zsh, fish',
    load: () => import('./commands/completion.ts'),
  },
];
