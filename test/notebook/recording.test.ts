import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { kernelEnv, kernelPython, madeFolder, runCells, whereKernel } from '../support/notebook.ts';
import { highwater, place } from '../support/recorder.ts';

const MiB = 1024 ** 2;
const HOLD = "keep = np.ones(50_000_000, dtype='u1'); time.sleep(0.3)";
const PASS = "big = np.ones(200_000_000, dtype='u1'); time.sleep(0.3); del big";

interface Cell {
  readonly name: string;
  readonly failed: boolean;
  readonly endSeconds: number | null;
  readonly beforeBytes: number;
  readonly peakBytes: number;
  readonly afterBytes: number;
}

async function cellsOf(folder: string): Promise<Cell[]> {
  const { code, stdout, stderr } = await highwater(['report', folder, '--json']);
  expect(code, stderr).toBe(0);
  return JSON.parse(String(stdout)).cells;
}

function expectFigures(hold: Cell, pass: Cell): void {
  const near = (bytes: number, expected: number) =>
    expect(Math.abs(bytes - expected), `${bytes} is about ${expected}`).toBeLessThan(12 * MiB);
  near(hold.afterBytes - hold.beforeBytes, 50e6);
  near(pass.peakBytes - pass.beforeBytes, 200e6);
  near(pass.afterBytes - pass.beforeBytes, 0);
}

describe('a recording of a kernel', () => {
  whereKernel('numpy')('%highwater start and stop: cells are its iterations', async () => {
    const folder = madeFolder();
    const shown = await runCells(
      [
        '%load_ext highwater\nimport numpy as np, time',
        '%highwater start mine',
        HOLD,
        PASS,
        '1 / 0',
        '%highwater start twice',
        '%highwater stop',
        '%highwater stop',
        '%highwater start mine',
      ],
      { folder, withCommand: true },
    );
    const [, started, , , , twice, stopped, again, taken] = shown.map(({ text }) => text);
    expect(started).toContain('Recording this kernel in highwater-runs/mine.hw');
    expect(twice).toMatch(/^UsageError: this kernel is recorded already/);
    expect(stopped).toContain('highwater report highwater-runs/mine.hw');
    expect(again).toMatch(/^UsageError: nothing is recorded/);
    expect(taken).toMatch(/^UsageError: highwater-runs\/mine.hw is there already/);
    const recording = join(folder, 'highwater-runs/mine.hw');
    const cells = await cellsOf(recording);
    expect(cells.map(({ name }) => name)).toEqual([
      'In [3]',
      'In [4]',
      'In [5]',
      'In [6]',
      'In [7]',
    ]);
    // A magic that is used in a wrong way fails its cell; the last one still ran when the recording ended.
    expect(cells.map(({ failed }) => failed)).toEqual([false, false, true, true, false]);
    expect(cells[4]!.endSeconds).toBeNull();
    expectFigures(cells[0]!, cells[1]!);
    expect(
      JSON.parse(readFileSync(join(recording, 'run.json'), 'utf8')).recorder.socket,
    ).toBeUndefined();
    const { stdout } = await highwater(['compare', recording, '--json']);
    expect(JSON.parse(String(stdout)).runs[0].iterations).toBe(4);
  });

  whereKernel('numpy')(
    'record -- jupyter execute: the agent sees the cells by itself',
    async () => {
      const folder = madeFolder();
      const notebook = join(folder, 'work.ipynb');
      const cells = ['import numpy as np, time', HOLD, PASS].map((source) => ({
        cell_type: 'code',
        execution_count: null,
        metadata: {},
        outputs: [],
        source,
      }));
      const kernelspec = { name: 'python3', display_name: 'Python 3', language: 'python' };
      const whole = { cells, metadata: { kernelspec }, nbformat: 4, nbformat_minor: 4 };
      writeFileSync(notebook, JSON.stringify(whole));
      const out = place();
      const execute = join(dirname(kernelPython()!), 'jupyter-execute');
      const { PYTHONPATH: _, ...env } = kernelEnv(folder);
      const { code, stderr } = await highwater(
        ['record', '-q', '--before', '0', '--after', '0', '-o', out, '--', execute, notebook],
        { env },
      );
      expect(code, stderr).toBe(0);
      const found = await cellsOf(out);
      expect(found.map(({ name }) => name)).toEqual(['In [1]', 'In [2]', 'In [3]']);
      expect(found.every(({ failed }) => !failed)).toBe(true);
      expectFigures(found[1]!, found[2]!);
      const { stdout } = await highwater(['report', out]);
      expect(String(stdout)).toMatch(/^Cells\n {2}cell +took +before +peak +left/m);
    },
  );
});
