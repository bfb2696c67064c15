import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sweep } from '../../src/analyses/sweep/index.ts';
import type { Manifest } from '../../src/sweep/manifest.ts';
import { type CliOptions, type Finished, highwater, place } from '../support/recorder.ts';

/** Without shelves, so that a run is over in a second. */
export const SHORT = ['--before', '0', '--after', '0'];

export interface Swept extends Finished {
  readonly folder: string;
  /** What `--json` printed. */
  readonly result: Sweep;
}

/** A sweep into a folder of its own, with its result as programs get it. */
export async function swept(
  flags: readonly string[],
  command: readonly string[],
  options?: CliOptions,
): Promise<Swept> {
  const folder = place('sweep');
  const argv = ['sweep', '--json', ...SHORT, '-o', folder, ...flags, '--', ...command];
  const finished = await highwater(argv, options);
  const text = String(finished.stdout);
  if (text === '') throw new Error(finished.stderr);
  return { ...finished, folder, result: JSON.parse(text) as Sweep };
}

export function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'sweep.json'), 'utf8')) as Manifest;
}

export const states = (folder: string) => manifestOf(folder).runs.map((run) => run.state);

/** A program that holds so many MiB for a moment; `fail` makes it end badly. */
export function allocator(): string {
  const path = place('allocate.cjs');
  writeFileSync(
    path,
    `const [size] = process.argv.slice(2);
if (size === 'fail') { console.error('there is no size fail'); process.exit(3); }
globalThis.held = Buffer.alloc(Number(size) * 2 ** 20, 1);
console.log('holding', size);
setTimeout(() => {}, 400);
`,
  );
  return path;
}
