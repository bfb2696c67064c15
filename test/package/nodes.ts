import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { npm } from './npm.ts';

/** The lines of Node that the package is promised to run on. */
export const MAJORS = [20, 22, 24] as const;

/** Outside the checkout, and kept: each is about 50 MB to fetch. */
const CACHE = join(tmpdir(), 'highwater-nodes');

const asked = new Map<number, Promise<string>>();

/** The newest Node of a line: our own where we are one, else the program inside its npm package. */
export function nodeOf(major: number): Promise<string> {
  // Also a failure is kept: npm tries for long before it gives up.
  const known = asked.get(major) ?? found(major);
  asked.set(major, known);
  return known;
}

async function found(major: number): Promise<string> {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const kept = join(CACHE, `${process.arch}-${major}`);
  if (!existsSync(kept)) {
    mkdirSync(CACHE, { recursive: true });
    const place = mkdtempSync(join(CACHE, 'fetching-'));
    try {
      const name = `node-linux-${process.arch}`;
      await npm(place, 'pack', '--silent', '--prefer-offline', `${name}@${major}`);
      // Only the program: the package brings headers for building, too.
      const unpack = `tar -xzf ${name}-${major}.*.tgz package/bin/node`;
      await promisify(execFile)('sh', ['-c', unpack], { cwd: place });
      renameSync(join(place, 'package/bin/node'), kept);
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  }
  return kept;
}
