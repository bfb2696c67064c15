import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CheckResult } from '../../src/analyses/check/index.ts';
import { highwater, place, recorded } from '../support/recorder.ts';

/** Holds so many MiB for half a second. */
const holds = (mib: number) => [
  process.execPath,
  '-e',
  `globalThis.kept = Buffer.alloc(${mib} * 2 ** 20, 1); setTimeout(() => {}, 500)`,
];

/** Keeps one MiB an iteration for 80 iterations, or keeps the same one. */
const iterates = (leaks: boolean) => [
  process.execPath,
  '-e',
  `const kept = []; let n = 0;
  const timer = setInterval(() => {
    kept[${leaks} ? n : 0] ??= Buffer.alloc(2 ** 20, 1);
    console.log('step ' + ++n + '/80');
    if (n === 80) clearInterval(timer);
  }, 40);`,
];

async function checked(
  ...argv: string[]
): Promise<{ code: number | null; check: CheckResult; stderr: string }> {
  const { code, stdout, stderr } = await highwater(['check', '--json', ...argv]);
  return { code, check: JSON.parse(String(stdout)) as CheckResult, stderr };
}

/** Of 64 MiB, for all that only need a recording. */
let folder = '';
beforeAll(async () => {
  folder = (await recorded([], holds(64))).folder;
});

// Side by side: a command is watched for a second before and one after, and each waits for that.
describe.concurrent('check', () => {
  it('passes what is within its limits and exits with 0', async () => {
    const { code, check } = await checked(
      folder,
      '--peak',
      'tree.pss<=2GiB',
      '--peak',
      'tree.rss<=2GiB',
    );
    expect(code).toBe(0);
    expect(check.status).toBe('pass');
    expect(check.findings.map(({ status }) => status)).toEqual(['pass', 'pass']);
    expect(check.findings[0]!.measuredBytes).toBeGreaterThan(64 * 2 ** 20);
  });

  it('exits with 3 over a limit and says who held it', async () => {
    const { code, check } = await checked(folder, '--peak', 'tree<=32MiB');
    expect(code).toBe(3);
    expect(check.findings[0]).toMatchObject({
      status: 'fail',
      series: 'tree.pss',
      limitBytes: 32 * 2 ** 20,
    });
    expect(check.findings[0]!.parts[0]).toMatchObject({ by: 'process', name: 'main' });
    const { stdout } = await highwater(['check', folder, '--peak', 'tree<=32MiB']);
    expect(String(stdout)).toMatch(
      /^Over 1 limit of 1: .*\n\n {2}OVER {2}tree <= 32.0 MiB {2}tree\.pss peaked at/,
    );
  });

  it('exits with 4 where it cannot be told: no such series, no iterations', async () => {
    const { code, check } = await checked(
      folder,
      '--peak',
      'gpu<=24GiB',
      '--growth',
      '<=1MiB/iteration',
    );
    expect(code).toBe(4);
    expect(check.findings.map(({ status }) => status)).toEqual(['unknown', 'unknown']);
    expect(check.findings[0]!.evidence).toContain("no series 'gpu'; it has host.used");
  });

  it('over one limit outweighs what cannot be told', async () => {
    expect((await checked(folder, '--peak', 'gpu<=1GiB', '--peak', 'tree.rss<=1MiB')).code).toBe(3);
  });

  it('writes JUnit XML and the summary page that CI asks for', async () => {
    const [junit, summary] = [place('m.xml'), place('summary.md')];
    writeFileSync(summary, 'before\n');
    const flags = ['--peak', 'tree<=1MiB', '--peak', 'gpu<=1GiB', '--peak', 'tree.rss<=9GiB'];
    const { code } = await highwater(['check', folder, ...flags, '--junit', junit], {
      env: { GITHUB_STEP_SUMMARY: summary },
    });
    expect(code).toBe(3);
    const xml = readFileSync(junit, 'utf8');
    expect(xml).toContain('tests="3" failures="1" errors="1"');
    expect(xml).toContain(
      'name="tree &lt;= 1.00 MiB (tree.pss)"><failure message="tree.pss peaked at',
    );
    expect(readFileSync(summary, 'utf8')).toMatch(
      /^before\n\*\*Over 1 limit of 3, 1 of 3 cannot be told/,
    );
  });

  it('refuses bad usage with 2, one line and what was expected', async () => {
    for (const [argv, said] of [
      [['check', folder], 'there is no limit to check'],
      [['check', folder, '--peak', '8GiB'], "'8GiB' is not a peak"],
      [['check', folder, '--max-regress', '3%'], '--max-regress needs a baseline'],
      [['check', folder, '--baseline', 'nowhere.json'], 'nowhere.json'],
      [['check', folder, '--no-leak', '--', 'true'], 'give recordings, or a command after --'],
      [['check', 'nowhere.hw', '--no-leak'], 'there is no file or folder nowhere.hw'],
    ] as const) {
      const { code, stdout, stderr } = await highwater(argv);
      expect([code, String(stdout)]).toEqual([2, '']);
      expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
      expect(stderr).toContain(said);
    }
  });
});

describe.concurrent('check with a baseline', () => {
  it('a small file of several runs gives a band; more than that is named by what grew', async () => {
    const file = place('memory.json');
    const out = place('base');
    const made = await highwater([
      'check',
      '--save-baseline',
      file,
      '--repeat',
      '3',
      '-o',
      out,
      '--',
      ...holds(128),
    ]);
    expect([made.code, made.stderr]).toEqual([0, expect.stringContaining(`baseline in ${file}`)]);
    expect(readFileSync(file).length).toBeLessThan(8192);

    const against = (mib: number) =>
      checked(
        ...['--baseline', file, '--max-regress', 'tree.rss:15%', '-o', place()],
        ...['--', ...holds(mib)],
      );
    const [same, more] = await Promise.all([against(128), against(256)]);
    expect([same.code, same.check.baselineRuns]).toEqual([0, 3]);
    expect(same.check.findings[0]).toMatchObject({ series: 'tree.rss', status: 'pass' });

    expect(more.code).toBe(3);
    const [finding] = more.check.findings;
    expect(finding!.parts[0]).toMatchObject({ by: 'process', name: 'main' });
    const grew = finding!.parts[0]!.bytes - finding!.parts[0]!.baselineBytes!;
    expect(Math.abs(grew / 2 ** 20 - 128)).toBeLessThan(32);
  });

  it('does not replace a baseline unless it is told to', async () => {
    const file = place('memory.json');
    expect((await highwater(['check', folder, '--save-baseline', file])).code).toBe(0);
    expect((await highwater(['check', folder, '--save-baseline', file])).code).toBe(2);
    expect((await highwater(['check', folder, '--save-baseline', file, '--force'])).code).toBe(0);
  });

  it.each([
    ['{', 'is no baseline'],
    ['[]', 'its type is not'],
    ['{"type":"highwater-baseline","schemaVersion":9,"runs":[]}', 'version 9'],
    [
      '{"type":"highwater-baseline","schemaVersion":1,"runs":[{"name":"a","peaks":{"x":"y"},"parts":[]}]}',
      'run 1',
    ],
  ])('says what is wrong with one that cannot be read', async (text, said) => {
    const file = place('bad.json');
    writeFileSync(file, text);
    const { code, stderr } = await highwater(['check', '--baseline', file, '--', 'true']);
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  });
});

describe.concurrent('check of a command', () => {
  it('tells growth for each iteration, and passes what does not grow', async () => {
    const grows = (leaks: boolean) =>
      checked('--growth', '<=512KiB/iteration', '-o', place(), '--', ...iterates(leaks));
    const [leaking, steady] = await Promise.all([grows(true), grows(false)]);
    expect(leaking.code).toBe(3);
    expect(leaking.check.findings[0]!.measuredBytes! / 2 ** 20).toBeCloseTo(1, 0);
    expect(steady.code).toBe(0);
  });

  it('clears nothing where the command failed', async () => {
    const { code, check } = await checked(
      '--peak',
      'tree.rss<=9GiB',
      '-o',
      place(),
      '--',
      'sh',
      '-c',
      'sleep 0.3; exit 7',
    );
    expect(code).toBe(4);
    expect(check.notes[0]).toContain('exited with code 7');
  });

  it('says 127 where there is no such command', async () => {
    const { code } = await highwater(['check', '--no-leak', '--', 'no-such-command-here']);
    expect(code).toBe(127);
  });

  it('takes limits from highwater.config.json, and says what is wrong with it', async () => {
    const config = place('limits.json');
    writeFileSync(config, '{"check": {"peak": "tree.rss<=1MiB"}}');
    expect((await highwater(['check', folder, '--config', config])).code).toBe(3);
    expect(
      (await highwater(['check', folder, '--config', config, '--peak', 'tree.rss<=9GiB'])).code,
    ).toBe(0);
    writeFileSync(config, '{"check": {"peek": 1}}');
    const { code, stderr } = await highwater(['check', folder, '--config', config]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('"peek" is not known')]);
    expect(existsSync(join(folder, 'run.json'))).toBe(true);
  });
});
