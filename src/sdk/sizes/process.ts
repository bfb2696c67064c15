import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { memoryUsage } from 'node:process';
import { KiB } from '../../base/bytes.ts';

/** A Node process as the system and V8 see it, in bytes. */
export interface NodeMemory {
  readonly rss: number;
  /** Resident pages that are mapped from files; 0 where the system does not tell. */
  readonly file: number;
  readonly anon: number;
  /** V8's heap: taken from the system, and in use. */
  readonly heapTotal: number;
  readonly heapUsed: number;
  /** Data of ArrayBuffers. */
  readonly arrayBuffers: number;
}

export function nodeMemory(): NodeMemory {
  const { rss, heapTotal, heapUsed, arrayBuffers } = memoryUsage();
  const { file, anon } = resident();
  return { rss, file, anon: anon || rss - file, heapTotal, heapUsed, arrayBuffers };
}

function resident(): { file: number; anon: number } {
  try {
    const text = readFileSync('/proc/self/status', 'utf8');
    const field = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) * KiB;
    return { file: field('RssFile'), anon: field('RssAnon') };
  } catch {
    return { file: 0, anon: 0 };
  }
}

const PROGRAM = `const {readFileSync} = require('fs');
const anon = /^RssAnon:\\s+(\\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'));
console.log(JSON.stringify({ anon: anon[1] * 1024, heapUsed: process.memoryUsage().heapUsed }));`;

let bare: { readonly anon: number; readonly heapUsed: number } | null | undefined;

/** What Node itself takes before it runs a program, seen in a fresh one; null where it cannot be had. */
export function bareNode(): { readonly anon: number; readonly heapUsed: number } | null {
  if (bare !== undefined) return bare;
  bare = null;
  try {
    const { NODE_OPTIONS: _, ...env } = process.env;
    const done = spawnSync(process.execPath, ['-e', PROGRAM], {
      env,
      encoding: 'utf8',
      timeout: 20_000,
    });
    bare = JSON.parse(done.stdout) as { anon: number; heapUsed: number };
  } catch {
    // A system without /proc, or no right to start anything.
  }
  return bare;
}
