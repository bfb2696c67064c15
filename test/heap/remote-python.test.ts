import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished } from 'vitest';
import { heapOf, partitionOf } from '../../src/analyses/heap/index.ts';
import { readPythonHeap } from '../../src/formats/python-heap/index.ts';
import { fileBytes } from '../../src/model/disk/file-bytes.ts';
import { askAttached } from '../../src/record/attach/index.ts';
import { tempFolder } from '../support/files.ts';
import { needs, python } from '../support/programs.ts';

/** Runs the script that lies in a letter, between two of its own lines, as sys.remote_exec makes 3.14 do. */
const PROGRAM = `
import os, sys, time
class Held: pass
keep = [Held() for _ in range(50)]
print("ready", flush=True)
while True:
    if os.path.exists(sys.argv[1]):
        with open(sys.argv[1]) as letter, open(letter.read()) as script:
            code = script.read()
        os.unlink(sys.argv[1])
        names = set(globals())
        exec(code)
        print(sorted(set(globals()) - names - {"names"}), flush=True)
    time.sleep(0.02)
`;

interface Target {
  readonly child: ChildProcess & { pid: number };
  /** What it prints. */
  readonly lines: AsyncIterator<string>;
  readonly folder: string;
  /** Stands in for an interpreter of 3.14, and for nothing but its sys.remote_exec. */
  readonly run: (program: string, code: string) => string | null;
}

async function target(): Promise<Target> {
  const folder = tempFolder();
  const letter = join(folder, 'letter');
  const child = spawn(python(), ['-c', PROGRAM, letter], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('ready');
  const run = (_program: string, code: string) => {
    if (code.includes('hasattr')) return '3.14 True';
    const script = JSON.parse(/remote_exec\(\d+, (".*")\)$/.exec(code)![1]!) as string;
    writeFileSync(`${letter}.new`, script);
    renameSync(`${letter}.new`, letter);
    return '';
  };
  return { child: child as Target['child'], lines, folder, run };
}

describe('a heap of a Python program without an agent', () => {
  const real = needs('python3');

  real(
    'is written by a script that the program runs, which leaves no name behind',
    async () => {
      const { child, lines, folder, run } = await target();
      const file = join(folder, 'x.hwheap');
      expect(await askAttached(child.pid, 'heap', { file }, 30_000, run)).toMatchObject({
        value: { file, mode: 'fork' },
        by: 'sys.remote_exec',
        heldMs: null,
      });
      expect((await lines.next()).value).toBe('[]');
      const kinds = partitionOf(heapOf(await readPythonHeap(fileBytes(file))));
      const row = Array.from({ length: kinds.rows }, (_, i) => kinds.label(i)).indexOf(
        '__main__.Held',
      );
      expect(kinds.counts[row]).toBe(50);
      expect(readFileSync(`/proc/${child.pid}/stat`, 'utf8')).toContain(`${child.pid} (python`);
    },
    60_000,
  );

  real(
    'says in one line what the program said, or why it cannot be asked',
    async () => {
      const { child, folder, run } = await target();
      const file = join(folder, 'x.hwheap');
      const ask = (stand: Target['run'], where = file) =>
        askAttached(child.pid, 'heap', { file: where }, 30_000, stand);
      await expect(ask(run, '/no/where/x.hwheap')).rejects.toThrow(
        /did not answer: FileNotFoundError: no such folder: \/no\/where/,
      );
      await expect(ask(() => '3.7 False')).rejects.toThrow(/runs Python 3.7, and the agent needs/);
      const path = process.env.PATH;
      process.env.PATH = folder;
      try {
        const denied = (_: string, code: string) => (code.includes('hasattr') ? '3.14 True' : null);
        await expect(ask(denied)).rejects.toThrow(/cannot be attached to/);
        await expect(ask(() => '3.11 False')).rejects.toThrow(/there is no gdb to attach with/);
      } finally {
        process.env.PATH = path;
      }
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
      await expect(ask(() => '3.14 True')).rejects.toThrow(/has ended/);
    },
    60_000,
  );
});
