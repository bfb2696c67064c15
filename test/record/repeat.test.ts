import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderFiles } from '../../src/model/disk/files.ts';
import { openRecording } from '../../src/model/disk/reader.ts';

const CLI = process.env.HIGHWATER_CLI ?? resolve('dist/cli.js');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'repeat-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function repeat(...words: string[]) {
  return spawnSync(
    process.execPath,
    [CLI, 'record', '--before', '0.1', '--after', '0.1', ...words],
    { cwd: folder, encoding: 'utf8' },
  );
}

function reportOf(...words: string[]): string {
  const run = spawnSync(process.execPath, [CLI, 'report', ...words], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (run.status !== 0) throw new Error(run.stderr);
  return run.stdout;
}

describe('record --repeat', () => {
  it('makes a whole recording of each run and says what a run leaves behind', () => {
    const { status, stderr } = repeat('--repeat', '2', '-o', 'runs', '--', 'echo', 'hello');
    expect(status).toBe(0);
    expect(readdirSync(join(folder, 'runs'))).toEqual(['1.hw', '2.hw']);
    for (const name of ['1.hw', '2.hw']) {
      const recording = openRecording(folderFiles(join(folder, 'runs', name)));
      expect(recording.run.endedAt).not.toBeNull();
      expect(recording.run.exit?.code).toBe(0);
    }
    expect(stderr).toContain('run 2 of 2');
    const [sentence] = /^(Leak|No leak|Leak or not):? .*$/m.exec(stderr)!;
    // It can be asked again.
    expect(reportOf('runs')).toContain(`${sentence}\n`);
    const json = JSON.parse(reportOf('runs', '--json'));
    expect(json).toMatchObject({ type: 'leak-repeats', schemaVersion: 2, runs: 2 });
  });

  it('is not what a folder with other names holds', () => {
    repeat('-q', '-o', 'runs/1.hw', '--', 'true');
    repeat('-q', '-o', 'runs/two.hw', '--', 'true');
    expect(() => reportOf('runs')).toThrow(/holds 2 recordings/);
  });

  it('passes on the code of the run that failed, and refuses to write over a folder', () => {
    expect(repeat('--repeat', '2', '-o', 'runs', '--', 'sh', '-c', 'exit 3').status).toBe(3);
    const again = repeat('--strict', '--repeat', '2', '-o', 'runs', '--', 'true');
    expect(again.status).toBe(125);
    expect(again.stderr).toContain('runs exists already');
  });

  it('needs a command', () => {
    const { status, stderr } = repeat('--repeat', '2');
    expect([status, stderr.trim()]).toEqual([125, 'highwater: --repeat needs a command']);
  });
});
