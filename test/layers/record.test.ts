import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEAKED_BYTES_PER_IMAGE } from '../../examples/lenet/options.ts';
import type { Report } from '../../src/analyses/report.ts';
import { folderFiles } from '../../src/model/disk/files.ts';
import { openRecording } from '../../src/model/disk/reader.ts';

const CLI = resolve('dist/cli.js');
const ITERATIONS = 12;
const BATCH = 2;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'layers-'));
  const train = ['--import', import.meta.resolve('tsx'), resolve('examples/lenet/main.ts')];
  const flags = ['--iterations', ITERATIONS, '--batch', BATCH, '--profile', 100, '--leak'];
  const record = ['record', '-q', '--before', '0', '--after', '0', '-o', 'leak.hw', '--'];
  const { status, stderr } = run([...record, process.execPath, ...train, ...flags.map(String)]);
  expect([status, stderr.replace(/^I\d{4} .*\n/gm, '')]).toEqual([0, '']);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (args: readonly string[]) =>
  spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8', cwd: folder });

describe('a training with MemoryProfiler under record', () => {
  it('has its layers in the recording, on the clock of the samples, only as they change', () => {
    const recording = openRecording(folderFiles(join(folder, 'leak.hw')));
    const table = recording.table('layers');
    const marks = recording.table('marks');
    const [times, kinds, names] = [table.f64('time'), table.u32('kind'), table.u32('name')];
    expect(new Set(table.u32('pid'))).toEqual(new Set([recording.run.rootPid]));
    const end = marks.f64('time').at(-1)!;
    expect(times.every((time, row) => time >= (times[row - 1] ?? 0) && time <= end)).toBe(true);
    const rows = [...kinds.keys()].map((row) => ({
      part: `${recording.text(kinds[row]!)} ${recording.text(names[row]!)}`,
      iteration: table.f64('iteration')[row]!,
      bytes: table.f64('bytes')[row]!,
    }));
    const of = (part: string) => rows.filter((row) => row.part === part);
    expect(of('weight conv1/kernel')).toEqual([
      { part: 'weight conv1/kernel', iteration: 1, bytes: 2000 },
    ]);
    expect(new Set(rows.map(({ iteration }) => iteration)).size).toBe(ITERATIONS);
  });

  it('is told by report: what it leaks, by how much and where', () => {
    const { stdout } = run(['report', 'leak.hw', '--json']);
    const [model] = (JSON.parse(stdout) as Report).layers;
    const kept = model!.totals.find(({ kind }) => kind === 'kept')!;
    expect(model!.iterations).toBe(ITERATIONS);
    expect(kept.growth).toMatchObject({
      pattern: 'every iteration',
      // Pixels, labels and activations of each image, and the loss.
      bytesPerIteration: BATCH * LEAKED_BYTES_PER_IMAGE + 4,
    });
    const { accounting } = model!;
    const parts = accounting!.bands.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(parts + accounting!.residueBytes).toBe(accounting!.measuredBytes);
    const text = run(['report', 'leak.hw']).stdout;
    expect(text).toMatch(/grows every iteration: kept tensors, conv1 at \S*lenet\/model\.ts:\d+,/);
  });

  it('is drawn by plot', () => {
    for (const flag of ['--layers', '--accounting']) {
      const { status, stdout } = run(['plot', 'leak.hw', flag, '-o', `${flag.slice(2)}.png`]);
      expect([status, stdout]).toEqual([0, `${flag.slice(2)}.png\n`]);
    }
  });

  it('and without a profiler there is nothing to draw, in one line', () => {
    const bare = ['record', '-q', '--before', '0', '--after', '0', '-o', 'bare.hw', '--', 'true'];
    expect(run(bare).status).toBe(0);
    const { status, stderr } = run(['plot', 'bare.hw', '--layers', '-o', 'x.png']);
    expect(status).not.toBe(0);
    expect(stderr).toMatch(
      /^highwater: this recording tells nothing of layers.*\n?.*docs\/layers\.md/,
    );
  });
});
