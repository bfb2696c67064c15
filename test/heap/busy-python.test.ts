import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { lack, needs } from '../support/programs.ts';
import { pythons } from '../support/pythons.ts';

/** Over all versions; by hand, with more: `PYTHONPATH=python python3 test/fixtures/heap/busy.py 10000 FOLDER`. */
const HEAPS = 300;

const found = lack('python3') === null ? [...pythons()] : [];
const folder = mkdtempSync(join(tmpdir(), 'highwater-busy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(program: string, count: number) {
  const own = mkdtempSync(join(folder, 'run-'));
  const words = ['-X', 'faulthandler', 'test/fixtures/heap/busy.py', String(count), own];
  const env = { ...process.env, PYTHONPATH: 'python' };
  const child = spawn(program, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += part));
  return new Promise<{ code: number | string | null; text: string }>((resolve) => {
    child.on('close', (code, signal) => resolve({ code: code ?? signal, text }));
  });
}

describe('heaps of a program whose threads make objects of every kind', () => {
  for (const [version, program] of found) {
    needs('python3')(
      `harm neither it nor themselves, Python ${version}`,
      async () => {
        const heaps = Math.ceil(HEAPS / found.length);
        const { code, text } = await run(program, heaps);
        expect([code, text]).toEqual([0, expect.stringContaining(`"heaps": ${heaps},`)]);
      },
      600_000,
    );
  }
});
