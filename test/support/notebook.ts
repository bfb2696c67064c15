import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { CLI, cleanEnv, place } from './recorder.ts';
import { pythonWith, whereFound } from './torch.ts';

export const kernelPython = (...more: string[]) => pythonWith('ipykernel', 'nbclient', ...more);

/** `it` for a test that runs cells in a real kernel. */
export const whereKernel = (...more: string[]) =>
  whereFound(kernelPython(...more), 'ipykernel', 'nbclient', ...more);

/** What a cell printed, its result's text and HTML, and its error. */
export interface Shown {
  readonly text: string;
  readonly html: string;
  readonly error: string;
}

/** Nothing of a notebook's goes into a home. */
export function kernelEnv(folder: string): NodeJS.ProcessEnv {
  const own = (name: string) => join(folder, name);
  return {
    IPYTHONDIR: own('ipython'),
    JUPYTER_RUNTIME_DIR: own('runtime'),
    JUPYTER_CONFIG_DIR: own('config'),
    JUPYTER_DATA_DIR: own('data'),
    PYTHONPATH: resolve('python'),
  };
}

/** A folder with `highwater` in it, for the PATH. */
export function commandFolder(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'highwater'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
  chmodSync(join(bin, 'highwater'), 0o755);
  return bin;
}

/** Runs cells one after another in a kernel of their own, with `folder` as its place. */
export async function runCells(
  cells: readonly string[],
  { folder = madeFolder(), withCommand = false } = {},
): Promise<Shown[]> {
  const path = withCommand
    ? `${commandFolder(folder)}${delimiter}${process.env.PATH}`
    : '/usr/bin:/bin';
  const python = kernelPython()!;
  const child = spawn(python, [resolve('test/notebook/run-cells.py')], {
    cwd: folder,
    env: cleanEnv({ ...kernelEnv(folder), PATH: path }),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(JSON.stringify(cells));
  const [out, errors]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const code = await new Promise((done) => child.once('close', done));
  if (code !== 0) throw new Error(`no kernel: ${Buffer.concat(errors)}`);
  return JSON.parse(String(Buffer.concat(out)));
}

export function madeFolder(): string {
  const folder = place('notebook');
  mkdirSync(folder);
  return folder;
}
