import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { orUserError } from '../../model/disk/files.ts';
import { completeSizes, readSizesFile } from '../../model/disk/sizes-file.ts';
import { type SizesAt, withImports } from '../../model/sizes.ts';
import { injectionFolder } from './injection.ts';

const TIMEOUT_MS = 120_000;
const measured = new Map<string, Promise<number | null>>();

/**
 * What importing the libraries of a Python program alone takes, seen in a fresh process of ours: one of the
 * program's would be part of what is recorded. Runs of the same program are measured once.
 */
export async function addImports(one: SizesAt): Promise<SizesAt> {
  const { imports, sizes } = one;
  if (!imports || sizes.code.loaded !== null) return one;
  const told = JSON.stringify(imports);
  let found = measured.get(told);
  if (!found) {
    found = freshPython(imports.executable, told);
    measured.set(told, found);
  }
  const loaded = await found;
  return { ...one, imports: null, sizes: loaded === null ? sizes : withImports(sizes, loaded) };
}

/** What the processes of a recording told, with what their imports take, which is kept there. */
export async function sizesIn(folder: string, baseline = true): Promise<SizesAt[]> {
  const told = readSizesFile(folder);
  if (!baseline || told.length === 0) return told;
  const all = await Promise.all(told.map(addImports));
  orUserError(folder, () => completeSizes(folder, all), 'write');
  return all;
}

/** Anonymous bytes after the imports; null where it cannot be had. */
function freshPython(executable: string, told: string): Promise<number | null> {
  const folder = injectionFolder();
  if (folder === null) return Promise.resolve(null);
  const program = join(dirname(folder), '_sizes/imports.py');
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^HIGHWATER_|^PYTHONPATH$/.test(name),
  );
  return new Promise((resolve) => {
    const child = spawn(executable, [program], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: Object.fromEntries(kept),
      timeout: TIMEOUT_MS,
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-1000);
    });
    child.stdin.on('error', () => {});
    child.once('error', () => resolve(null));
    child.once('close', () => {
      const bytes = /^anon (\d+)\n$/m.exec(text)?.[1];
      resolve(bytes === undefined ? null : Number(bytes));
    });
    child.stdin.end(told);
  });
}
