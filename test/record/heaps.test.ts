import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { injectionFolder } from '../../src/record/agents/injection.ts';
import { whySilent } from '../../src/record/agents/why-silent.ts';
import { HeapWatch } from '../../src/record/heaps/heap-watch.ts';
import type { OwnWorkWatch } from '../../src/record/heaps/own-work.ts';
import type { RunFile } from '../../src/record/run/run-file.ts';
import { tempFolder } from '../support/files.ts';
import { place, readRun, start } from '../support/recorder.ts';

describe('heaps of a recording', () => {
  it('are taken although the usual port of the inspector is taken, without a line on the program’s streams, and fewer than asked for is said', async () => {
    const server = createServer().listen(9229, '127.0.0.1');
    // Where something else has it already, it is taken just as well.
    server.on('error', () => {});
    onTestFinished(() => {
      server.close();
    });
    const folder = place();
    const first = join(folder, 'heap', '0', 'v8.heapsnapshot');
    const program = join(tempFolder(), 'serve.cjs');
    writeFileSync(
      program,
      `setInterval(() => { if (require('fs').existsSync(${JSON.stringify(first)})) process.exit(); }, 20);`,
    );
    const flags = ['--heap', '3', '--before', '0', '--after', '0', '-q', '-o', folder];
    const record = start(['record', ...flags, '--', process.execPath, program]);
    const { stdout, stderr } = await record.finished;
    expect(String(stdout)).toBe('');
    expect(stderr.split('\n').filter((line) => !line.startsWith('highwater: '))).toEqual(['']);
    const run = readRun(folder);
    expect(run.heaps, run.warnings.join()).toHaveLength(1);
    expect(run.warnings.join()).toContain(
      '1 of 3 heaps taken: the program ended before the next one was due',
    );
  }, 60_000);

  it('are tried again where taking one failed, which is said once', async () => {
    const warnings: string[] = [];
    const run = { heaps: [] };
    const file = { run, folder: tempFolder(), warn: (text: string) => warnings.push(text) };
    let tries = 0;
    const watch = new HeapWatch(
      { count: 2, durationSeconds: 0.1, maxDisk: 1e9 },
      file as unknown as RunFile,
      () => [],
      () => performance.now() * 1e6,
      { none: async () => {} } as unknown as OwnWorkWatch,
      {
        find: async () => ({ pid: process.pid, runtime: 'v8' }),
        write: async () => {
          tries++;
          throw new Error('port 9229 is taken');
        },
      },
    );
    watch.start();
    await expect.poll(() => tries).toBe(2);
    await watch.stop();
    expect(warnings).toEqual([
      'a heap could not be taken, and is tried again: port 9229 is taken',
      'no heap of the run: taking one failed 2 times',
    ]);
  }, 30_000);
});

describe('why no agent speaks in a Python program', () => {
  const program = (file: string, words: string[], environment: string[]) => {
    const proc = tempFolder();
    mkdirSync(join(proc, '7'));
    symlinkSync(file, join(proc, '7', 'exe'));
    writeFileSync(join(proc, '7', 'cmdline'), `${words.join('\0')}\0`);
    writeFileSync(join(proc, '7', 'environ'), `${environment.join('\0')}\0`);
    return whySilent(7, proc);
  };

  it('is said as far as it can be seen', () => {
    const given = [`PYTHONPATH=${injectionFolder()}`, 'HOME=/'];
    expect(program('/usr/bin/python3.6', ['python'], given)).toBe(
      'its Python is 3.6, and the agent needs 3.8 or newer',
    );
    expect(program('/opt/python2.7', ['python'], given)).toContain('its Python is 2.7');
    expect(program('/usr/bin/python3.11', ['python3', '-I', 'x.py'], given)).toMatch(/with -I/);
    expect(program('/usr/bin/python3.11', ['python3', 'x.py'], ['PYTHONPATH=/own', 'A=b'])).toBe(
      'its PYTHONPATH is not the one that the recorder gave it',
    );
    expect(program('/usr/bin/python3.11', ['python3', 'x.py'], given)).toMatch(/let no agent in/);
    expect(readFileSync('docs/injection.md', 'utf8')).toContain('older than 3.8');
  });
});
