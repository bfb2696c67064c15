import { describe, expect } from 'vitest';
import { runCells, type Shown, whereKernel } from '../support/notebook.ts';

const MiB = 1024 ** 2;
const UNITS: Readonly<Record<string, number>> = { bytes: 1, KiB: 1024, MiB, GiB: 1024 ** 3 };

/** before, peak, after, left of the host, as the table has them. */
function hostFigures({ text }: Shown): number[] {
  const row = /^ {2}host {2,}(.*)$/m.exec(text)![1]!;
  return row
    .trim()
    .split(/ {2,}/)
    .map((cell) => {
      const [, number, unit] = /([+-]?[\d.]+) (\w+)/.exec(cell)!;
      return Number(number) * UNITS[unit!]!;
    });
}

const near = (bytes: number, expected: number) =>
  expect(Math.abs(bytes - expected), `${bytes} is about ${expected}`).toBeLessThan(8 * MiB);

describe('%%highwater', () => {
  whereKernel('numpy')('tells what a cell took, at which line, and what it left', async () => {
    const [, first, again] = await runCells([
      '%load_ext highwater\nimport numpy as np, time',
      [
        '%%highwater',
        "keep = np.ones(50_000_000, dtype='u1')",
        "big = np.ones(200_000_000, dtype='u1')",
        'time.sleep(0.2)  # <script>alert(1)</script>',
        'del big',
        'time.sleep(0.1)',
      ].join('\n'),
      // The kernel's mark of the cell before must not be this one's.
      "%%highwater\nsmall = np.ones(60_000_000, dtype='u1')\ntime.sleep(0.1); del small",
    ]);
    const [before, peak, after, left] = hostFigures(first!);
    near(peak! - before!, 250e6);
    near(after! - before!, 50e6);
    near(left!, 50e6);
    expect(first!.text).toMatch(/^In \[2\] took .*; at its peak \+2\d\d MiB on the host$/m);
    expect(first!.text).toMatch(/host: peak (at line 3: big = np.ones|between lines 3 and 4)/);
    const [beforeAgain, peakAgain] = hostFigures(again!);
    near(peakAgain! - beforeAgain!, 60e6);
    expect(first!.html).toMatch(/^<div.*<svg.*<polygon.*<\/svg>.*<\/div>$/s);
    expect(first!.html).not.toContain('<script>');
  });

  whereKernel()('leaves the cell what it is: its result, its names, its errors', async () => {
    const [, result, name, silent, failed, syntax, shown] = await runCells([
      '%load_ext highwater',
      '%%highwater\nvalue = 40\nvalue + 2',
      '(value, _, Out[2])',
      '%%highwater\nvalue;',
      '%%highwater\n\nvalue = 1\nundefined_name',
      '%%highwater\nx = (',
      '%%highwater\n!echo from the shell\n%time 1 + 1',
    ]);
    expect(result!.text).toMatch(/^42\nIn \[2\] took/);
    expect(name!.text).toBe('(40, 42, 42)\n');
    expect(silent!.text).toMatch(/^In \[4\] took/);
    expect(failed!.text).toMatch(/^In \[5\] failed with NameError after/);
    expect(failed!.error).toMatch(/^NameError: name 'undefined_name' is not defined/);
    expect(failed!.error).not.toContain('_notebook');
    expect(plain(failed!.error)).toMatch(/----> 4 undefined_name/);
    expect(syntax!.error).toMatch(/^SyntaxError/);
    expect(syntax!.error).toContain('line 2');
    expect(shown!.text).toContain('from the shell');
  });

  whereKernel()('says in one line what is wrong with how it is used', async () => {
    const cells = [
      '%load_ext highwater',
      '%highwater',
      '%highwater peak',
      '%highwater held now',
      '%highwater free all',
      '%highwater stop',
      '%highwater start',
      '%%highwater --fast\n1',
      '%%highwater\nimport asyncio\nawait asyncio.sleep(0)',
      '%highwater start "half',
    ];
    const shown = await runCells(cells);
    const lines = shown.slice(1).map(({ text, error }) => text + error);
    for (const line of lines) expect(line).toMatch(/^UsageError: .+\n$/);
    expect(lines[0]).toContain('%highwater start [NAME] | stop | held | free [out]');
    expect(lines[1]).toContain('knows no peak');
    expect(lines[5]).toContain("pip install 'highwater-profiler[node]'");
    expect(lines[7]).toContain('%highwater start records it');
  });
});

describe('what a notebook keeps', () => {
  whereKernel('torch')(
    'a failed cell: named with its bytes, and let go by the advice',
    async () => {
      const [, , failed, held, named, freed, gone] = await runCells([
        '%load_ext highwater\nimport torch, weakref',
        [
          'def step():',
          '    global seen',
          '    hidden = torch.ones(40, 1024, 1024)',
          '    seen = weakref.ref(hidden)',
          '    try:',
          '        1 / 0',
          '    except ZeroDivisionError as error:',
          "        raise RuntimeError('out of luck') from error",
        ].join('\n'),
        '%%highwater\nstep()',
        '%highwater held',
        'from highwater._names import holders\nprint(holders([seen()]))',
        '%highwater free',
        'seen() is None',
      ]);
      for (const { text } of [failed!, held!]) {
        expect(text).toMatch(/kept by sys\.last_traceback: 160 MiB/);
        expect(text).toMatch(/hidden in step\(\): 160 MiB/);
        expect(text).toContain('let go: %highwater free');
      }
      expect(failed!.html).toContain('kept by sys.last_traceback: 160 MiB');
      expect(named!.text).toBe("['hidden in step(), kept by sys.last_traceback']\n");
      expect(freed!.text).toBe('let go of 160 MiB\n');
      expect(gone!.text).toBe('True\n');
    },
    180_000,
  );

  whereKernel('numpy')('Out, _ and the names beside them', async () => {
    const cells = [
      '%load_ext highwater\nimport numpy as np, weakref\nclass Array(np.ndarray): pass',
      'x = np.ones((64, 1024, 1024), "u1").view(Array); seen = weakref.ref(x); x',
      '%highwater held',
      'del x',
      '%highwater held',
      'from highwater._names import holders\nprint(holders([seen()]))',
      '%highwater free out',
      'print(seen() is None)',
    ];
    const [, , shared, , held, named, freed, gone] = await runCells(cells);
    expect(shared!.text).toContain('less than 1 MiB'); // x has it too
    expect(held!.text).toBe(
      'kept by Out[2], _, _2: 64 MiB (Array of 64x1024x1024)\n  let go: %highwater free out\n',
    );
    expect(named!.text).toBe("['Out[2]']\n");
    expect(freed!.text).toBe('let go of 64 MiB\n');
    expect(gone!.text).toBe('True\n');
  });

  whereKernel('numpy')(
    'an error that a variable has as well is not called free to go',
    async () => {
      const cells = [
        '%load_ext highwater\nimport numpy as np',
        'def fail():\n    hidden = np.ones(64 << 20, "u1")\n    raise ValueError("no")',
        'try:\n    fail()\nexcept ValueError as error:\n    mine = error\nraise mine',
        '%highwater held',
        'del mine',
        '%highwater held',
      ];
      const shown = await runCells(cells);
      expect(shown[3]!.text).toContain('less than 1 MiB');
      expect(shown[5]!.text).toContain('kept by sys.last_traceback: 64 MiB');
    },
  );
});

const plain = (text: string) => text.replace(/\x1b\[[\d;]*m/g, '');
