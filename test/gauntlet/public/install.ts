import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE } from '../cache.ts';
import type { PublicProgram } from './kinds.ts';

/** The folder in which the packages are, or why they are not. */
export type Installed = { readonly folder: string } | { readonly absent: string };

/** Each list of pins has a folder of its own, so that a changed pin is installed anew. */
export function installed({ python: pips, npm }: PublicProgram, python: string): Installed {
  if (pips)
    return once('python', pips, '', (folder) => [
      python,
      ['-m', 'pip', 'install', '-q', '--no-deps', '--target', folder, ...pips],
    ]);
  if (npm) {
    return once('npm', npm, 'node_modules', (folder) => {
      writeFileSync(join(folder, 'package.json'), '{"private":true}');
      return [
        'npm',
        ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', ...npm],
      ];
    });
  }
  return { folder: '' };
}

/** Installed beside its place and moved there when it is whole. */
function once(
  kind: string,
  pins: readonly string[],
  inside: string,
  command: (folder: string) => readonly [string, readonly string[]],
): Installed {
  const hash = createHash('sha256').update(pins.join('\n')).digest('hex').slice(0, 12);
  const place = join(CACHE, kind, hash);
  const folder = join(place, inside);
  if (existsSync(place)) return { folder };
  const made = `${place}.${process.pid}`;
  mkdirSync(made, { recursive: true });
  const [program, args] = command(made);
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) {
    rmSync(made, { recursive: true, force: true });
    const said = error?.message ?? stderr.trim().split('\n').at(-1);
    return { absent: `${pins[0]} could not be installed: ${said}` };
  }
  renameSync(made, place);
  return { folder };
}
