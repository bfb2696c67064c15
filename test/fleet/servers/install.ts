import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { FLEET, PARTS, type Part, partFolder, type Stamp, stampOf } from './folder.ts';
import { unpack } from './packages.ts';

const run = promisify(execFile);

/** Libraries that Slurm and munge want of a Debian that has nothing yet. */
const SLURM_LIBRARIES =
  'libmunge2 libnuma1 libjson-c5 libyaml-0-2 liblz4-1 liblua5.1-0 libhwloc15 libdbus-1-3 libreadline8 libudev1 libpam0g libaudit1 libcap-ng0 libgcrypt20 libgpg-error0'.split(
    ' ',
  );
const SLURM = ['slurmctld', 'slurmd', 'slurm-client', 'slurm-wlm-basic-plugins', 'munge'];

const PYTHON = [
  'chdb==4.4.0',
  'duckdb==2.0.0',
  'pyarrow==26.0.1',
  'tensorboard==2.21.0',
  'kubernetes-validate==1.36.0',
];

/** What makes a part, in a folder that takes its place when it is whole; a new `recipe` makes it anew. */
const MAKE: Record<Part, { recipe: string; make(folder: string): Promise<void> }> = {
  debian: {
    recipe: 'prometheus victoria-metrics',
    make: (folder) => unpack('debian', ['prometheus', 'victoria-metrics', 'libzstd1'], folder),
  },
  slurm: {
    recipe: [...SLURM, ...SLURM_LIBRARIES].join(' '),
    make: (folder) => unpack('debian', [...SLURM, ...SLURM_LIBRARIES], folder),
  },
  testing: {
    recipe: 'prometheus promtool victoria-metrics libzstd1',
    make: (folder) =>
      unpack('testing', ['prometheus', 'promtool', 'victoria-metrics', 'libzstd1'], folder),
  },
  python: { recipe: PYTHON.join(' '), make: makePython },
};

/** Not renamed afterwards: an environment of Python knows its own path. */
async function makePython(): Promise<void> {
  const folder = partFolder('python');
  rmSync(folder, { recursive: true, force: true });
  await run('python3', ['-m', 'venv', folder]);
  const pip = ['install', '-q', '--disable-pip-version-check', ...PYTHON];
  await run(join(folder, 'bin/pip'), pip, { maxBuffer: 1e8 });
}

/** Installs what is not there yet. What cannot be had is noted: its tests say so, and fail where nothing may skip. */
export default async function install(): Promise<void> {
  mkdirSync(FLEET, { recursive: true });
  // Packages of one suite share its lists, so they come one after another; the rest side by side.
  const chains: readonly (readonly Part[])[] = [['debian', 'slurm'], ['testing'], ['python']];
  const ends = chains.map(async (parts) => {
    for (const part of parts) await installPart(part);
  });
  await Promise.all(ends);
}

async function installPart(part: Part): Promise<void> {
  const { recipe, make } = MAKE[part];
  if (isDone(part, recipe)) return;
  const began = performance.now();
  const fresh = `${partFolder(part)}.new`;
  let error: string | null = null;
  try {
    rmSync(fresh, { recursive: true, force: true });
    await make(fresh);
    if (part !== 'python') {
      rmSync(partFolder(part), { recursive: true, force: true });
      renameSync(fresh, partFolder(part));
    }
  } catch (thrown) {
    error = String(thrown instanceof Error ? thrown.message : thrown).slice(0, 2000);
  }
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  const stamp: Stamp = { recipe, error, seconds };
  writeFileSync(stampOf(part), `${JSON.stringify(stamp)}\n`);
  console.error(`fleet: ${part} ${error ?? 'is there'}, ${seconds} s`);
}

/** One that failed is tried again. */
function isDone(part: Part, recipe: string): boolean {
  if (!existsSync(stampOf(part))) return false;
  const stamp = JSON.parse(readFileSync(stampOf(part), 'utf8')) as Stamp;
  return stamp.recipe === recipe && stamp.error === null && existsSync(partFolder(part));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await install();
  for (const part of PARTS) console.error(`${part}: ${readFileSync(stampOf(part), 'utf8').trim()}`);
}
