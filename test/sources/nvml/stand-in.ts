import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { place, SCRATCH } from '../../support/recorder.ts';

/** `old` lacks what the first libraries lacked; `wide` has the longer entries of series 535. */
export type Kind = 'new' | 'old' | 'wide';
const FLAGS: Readonly<Record<Kind, readonly string[]>> = {
  new: [],
  old: ['-DOLD'],
  wide: ['-DWIDE'],
};
const SOURCE = new URL('./stand-in.c', import.meta.url).pathname;

/** The stand-in library, compiled once a kind and test file; each caller gets a copy with its own state. */
export function standIn(kind: Kind = 'new'): string {
  const built = join(SCRATCH, `stand-in-${kind}.so`);
  if (!existsSync(built)) {
    const flags = ['-shared', '-fPIC', '-Wall', '-Wextra', '-Werror', ...FLAGS[kind]];
    execFileSync('gcc', [...flags, '-o', built, SOURCE]);
  }
  const copy = place('libnvidia-ml.so.1');
  copyFileSync(built, copy);
  return copy;
}

/** A script for the stand-in to play (see stand-in.c). */
export function script(lines: string): string {
  const path = place('script.txt');
  writeFileSync(path, `${lines.trim().replace(/^\s+/gm, '')}\n`);
  return path;
}

export const H200 = (uuid: string, minor = 0) => `gpu ${uuid} 143771 629 ${minor} NVIDIA H200`;
