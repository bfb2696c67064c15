import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/base/errors.ts';
import type { CommandModule } from '../../src/cli/command.ts';
import { run as exportCommand } from '../../src/cli/commands/export.ts';
import { run as importCommand } from '../../src/cli/commands/import.ts';
import { run as pack } from '../../src/cli/commands/pack.ts';
import { saveRecording } from '../../src/model/disk/save.ts';
import { tempFolder } from '../support/files.ts';
import { sampleRecording } from '../support/sample-recording.ts';

const COMMANDS: Readonly<Record<string, CommandModule['run']>> = {
  import: importCommand,
  export: exportCommand,
  pack,
};
const MAIN = resolve('src/cli/main.ts');
const TSX = import.meta.resolve('tsx');

/** The real program in a folder of its own; `close` ends the reading of its output early. */
async function highwater(cwd: string, args: string[], close = false) {
  const child = spawn(process.execPath, ['--import', TSX, MAIN, ...args], { cwd });
  const text = { out: '', err: '' };
  child.stdout.on('data', (bytes: Buffer) => {
    text.out += bytes.toString();
    if (close) child.stdout.destroy();
  });
  child.stderr.on('data', (bytes: Buffer) => {
    text.err += bytes.toString();
  });
  const code = await new Promise<number | null>((done) => child.on('close', done));
  return { code, ...text };
}

function workplace(rows = 40): string {
  const cwd = tempFolder();
  mkdirSync(join(cwd, 'highwater-runs/a.hw'), { recursive: true });
  saveRecording(sampleRecording(rows), join(cwd, 'highwater-runs/a.hw'));
  return cwd;
}

describe('export and import', () => {
  it('export writes the newest recording to standard output', async () => {
    const { code, out, err } = await highwater(workplace(), ['export', '--to', 'csv']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.split('\n').slice(0, 2)).toEqual(['seconds,mem_used', '-0.25,1008']);
  });

  it('go round: export, import under a name, export again', async () => {
    const cwd = workplace();
    await highwater(cwd, ['export', '-o', 'x.csv']);
    const made = await highwater(cwd, ['import', 'x.csv', '--name', 'again']);
    expect(made).toMatchObject({ code: 0, out: 'highwater-runs/x.hw\n' });
    expect(readFileSync(join(cwd, 'highwater-runs/x.hw/run.json'), 'utf8')).toContain('"again"');
    const { out } = await highwater(cwd, ['export', 'highwater-runs/x.hw', '--to', 'csv']);
    expect(out).toBe(readFileSync(join(cwd, 'x.csv'), 'utf8'));
  });

  it('never overwrite unasked', async () => {
    const cwd = workplace();
    writeFileSync(join(cwd, 'x.csv'), 'seconds,mem_used\n0,1\n');
    const again = ['export', '--to', 'csv', '-o', 'x.csv'];
    expect(await highwater(cwd, again)).toMatchObject({
      code: 2,
      err: 'highwater: x.csv exists already (give another name with -o, or replace it with --force)\n',
    });
    expect((await highwater(cwd, ['import', 'x.csv', '-o', 'highwater-runs/a.hw'])).code).toBe(2);
    expect((await highwater(cwd, [...again, '--force'])).code).toBe(0);
    expect(
      (await highwater(cwd, ['import', 'x.csv', '-o', 'highwater-runs/a.hw', '--force'])).code,
    ).toBe(0);
  });

  it('export ends quietly when its reader has had enough', async () => {
    const { code, err } = await highwater(workplace(60_000), ['export', '--to', 'json'], true);
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });

  it.each<[string[], RegExp]>([
    [
      ['export', '--to', 'xml'],
      /there is no format 'xml' \(--to takes one of arrow, json, free-log, nvidia-smi, csv, chrome-trace, speedscope, collapsed\)/,
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
  ])('%j is refused with one line', async ([verb, ...rest], message) => {
    const here = process.cwd();
    process.chdir(workplace());
    try {
      const failure: unknown = await COMMANDS[verb!]!(rest).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(UserError);
      const { message: line, hint, exitCode } = failure as UserError;
      expect(`${line} (${hint})`).toMatch(message);
      expect(line).not.toContain('\n');
      expect(exitCode).toBe(2);
    } finally {
      process.chdir(here);
    }
  });
});

describe('pack', () => {
  it('makes one file beside the recording, which import unpacks', async () => {
    const cwd = workplace();
    expect(await highwater(cwd, ['pack'])).toMatchObject({
      code: 0,
      out: 'highwater-runs/a.hwz\n',
    });
    expect((await highwater(cwd, ['pack'])).err).toMatch(/exists already/);
    expect((await highwater(cwd, ['import', 'highwater-runs/a.hwz', '-o', 'b.hw'])).code).toBe(0);
    expect(existsSync(join(cwd, 'b.hw/host.arrow'))).toBe(true);
    const [a, b] = await Promise.all(
      ['highwater-runs/a.hw', 'b.hw'].map((path) =>
        highwater(cwd, ['export', path, '--to', 'json']),
      ),
    );
    expect(b!.out).toBe(a!.out);
  });

  it.each(['import', 'export', 'pack'])('%s --help has an example', async (verb) => {
    const { code, out } = await highwater(tempFolder(), [verb, '--help']);
    expect(out).toMatch(/Example:\n {2}highwater /);
    expect(code).toBe(0);
  });
});
