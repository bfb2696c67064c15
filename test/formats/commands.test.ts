import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { saveRecording } from '../../src/model/disk/save.ts';
import { tempFolder } from '../support/files.ts';
import { inOneProcess } from '../support/one-process.ts';
import { ELSEWHERE, highwater, start } from '../support/recorder.ts';
import { sampleRecording } from '../support/sample-recording.ts';

function workplace(rows = 40): string {
  const cwd = tempFolder();
  mkdirSync(join(cwd, 'highwater-runs/a.hw'), { recursive: true });
  saveRecording(sampleRecording(rows), join(cwd, 'highwater-runs/a.hw'));
  return cwd;
}

/** What verbs without a name say they took. */
const TOOK = 'highwater: highwater-runs/a.hw, the newest recording\n';

describe('export and import', () => {
  it('export writes the newest recording to standard output', async () => {
    const cwd = workplace();
    const { code, stdout, stderr } = await highwater(['export', '--to', 'csv'], {
      cwd,
      env: ELSEWHERE,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: TOOK });
    expect(String(stdout).split('\n').slice(0, 2)).toEqual(['seconds,mem_used', '-0.25,1008']);
  });

  it('go round: export, import under a name, export again', async () => {
    const cwd = workplace();
    await inOneProcess(['export', '-o', 'x.csv'], cwd);
    const made = await inOneProcess(['import', 'x.csv', '--name', 'again'], cwd);
    expect(made).toMatchObject({ code: 0, stdout: 'highwater-runs/x.hw\n' });
    expect(readFileSync(join(cwd, 'highwater-runs/x.hw/run.json'), 'utf8')).toContain('"again"');
    const { stdout } = await inOneProcess(['export', 'highwater-runs/x.hw', '--to', 'csv'], cwd);
    expect(stdout).toBe(readFileSync(join(cwd, 'x.csv'), 'utf8'));
  });

  it('never overwrite unasked', async () => {
    const cwd = workplace();
    writeFileSync(join(cwd, 'x.csv'), 'seconds,mem_used\n0,1\n');
    const again = ['export', '--to', 'csv', '-o', 'x.csv'];
    expect(await inOneProcess(again, cwd)).toMatchObject({
      code: 2,
      stderr: `${TOOK}highwater: x.csv exists already (give another name, or replace it with --force)\n`,
    });
    expect((await inOneProcess(['import', 'x.csv', '-o', 'highwater-runs/a.hw'], cwd)).code).toBe(
      2,
    );
    expect((await inOneProcess([...again, '--force'], cwd)).code).toBe(0);
    expect(
      (await inOneProcess(['import', 'x.csv', '-o', 'highwater-runs/a.hw', '--force'], cwd)).code,
    ).toBe(0);
  });

  it('export ends quietly when its reader has had enough', async () => {
    const cwd = workplace(60_000);
    const { child, finished } = start(['export', '--to', 'json'], { cwd, env: ELSEWHERE });
    child.stdout!.once('data', () => child.stdout!.destroy());
    const { code, stderr } = await finished;
    expect({ code, stderr }).toEqual({ code: 0, stderr: TOOK });
  });

  it.each<[string[], RegExp]>([
    [
      ['export', '--to', 'xml'],
      /there is no format 'xml' \(--to takes one of arrow, json, free-log, nvidia-smi, csv, chrome-trace, speedscope, pprof, collapsed, parquet\)/,
    ],
    [['export'], /which format\?/],
    [['export', '--to', 'csv', '--table', 'hosts'], /there is no table 'hosts' to write as CSV/],
    [['export', '--to', 'json', '--table', 'host'], /json holds all tables/],
    [['export', '--to', 'free-log', '--table', 'gpu'], /free-log is made of the table host/],
    [['import', 'highwater-runs/a.hw', '--time-zone', 'Mars'], /'Mars' is not a time zone/],
    [['import', 'highwater-runs/a.hw', '--mark', '('], /is not a regular expression/],
    [['import', 'highwater-runs/a.hw', '--unit', 'pages'], /is not a size/],
    [['export', 'none.hw', '--to', 'csv'], /there is no file or folder none\.hw/],
    [['export', '--to', 'csv', '-o', 'no/such/x.csv'], /cannot write no\/such\/x\.csv/],
    [['import'], /missing required argument/],
    [['import', 'highwater-runs/a.hw'], /is a recording already/],
    [['pack', '--what'], /unknown option/],
  ])('%j is refused with one line', async (argv, message) => {
    const { code, stdout, stderr } = await inOneProcess(argv, workplace());
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.replace(TOOK, '')).toMatch(/^highwater: .*\n$/);
    expect(stderr).toMatch(message);
  });
});

describe('pack', () => {
  it('makes one file beside the recording, which import unpacks', async () => {
    const cwd = workplace();
    expect(await inOneProcess(['pack'], cwd)).toMatchObject({
      code: 0,
      stdout: 'highwater-runs/a.hwz\n',
    });
    expect((await inOneProcess(['pack'], cwd)).stderr).toMatch(/exists already/);
    expect((await inOneProcess(['import', 'highwater-runs/a.hwz', '-o', 'b.hw'], cwd)).code).toBe(
      0,
    );
    expect(existsSync(join(cwd, 'b.hw/host.arrow'))).toBe(true);
    const [a, b] = await Promise.all(
      ['highwater-runs/a.hw', 'b.hw'].map((path) =>
        inOneProcess(['export', path, '--to', 'json'], cwd),
      ),
    );
    expect(b!.stdout).toBe(a!.stdout);
  });

  it.each(['import', 'export', 'pack'])('%s --help has an example', async (verb) => {
    const { code, stdout } = await inOneProcess([verb, '--help'], tempFolder());
    expect(stdout).toMatch(/Example:\n {2}highwater /);
    expect(code).toBe(0);
  });
});
