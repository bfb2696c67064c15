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

/** A benchmark of pyperformance: a manager process, and a worker that times the same work again and again, for about a minute. */
export const timed = (name: string, set: ProgramSet, ...args: string[]): PublicProgram =>
  timedWith([], name, set, ...args);

/** One that needs packages beside pyperformance's own. */
export const timedWith = (
  pins: readonly string[],
  name: string,
  set: ProgramSet,
  ...args: string[]
): PublicProgram => ({
  name: `pyperformance ${name}`,
  set,
  python: [...PYPERFORMANCE, ...pins],
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
export const looped = (
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
