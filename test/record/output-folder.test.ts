import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { highwater, place, readRun, recorded, shortFlags, start } from '../support/recorder.ts';

const quick = ['record', '--before', '0', '--after', '0'];

function emptyFolder(): string {
  const folder = place('folder');
  mkdirSync(folder);
  return folder;
}

describe.concurrent('where a recording goes', () => {
  it('by default to a name that cannot clash', async () => {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, 'train.sh'), 'exit 0');
    const { child, finished } = start([...quick, '-q', '--', 'sh', 'train.sh'], { cwd });
    expect((await finished).code).toBe(0);
    const [name, ...others] = readdirSync(join(cwd, 'highwater-runs'));
    expect(others).toEqual([]);
    const machine = hostname().split('.')[0]!;
    expect(name).toMatch(/^train-\d{8}-\d{6}-/);
    expect(name!.slice('train-20260102-030405-'.length)).toBe(`${machine}-${child.pid}.hw`);
  });

  it('takes the name it is given, and only names that can be files', async () => {
    const cwd = emptyFolder();
    const named = ['--name', 'lr=0.1,batch@8', '--', 'true'];
    expect((await highwater([...quick, '-q', ...named], { cwd })).code).toBe(0);
    const [folder] = readdirSync(join(cwd, 'highwater-runs'));
    expect(folder).toMatch(/^lr=0\.1,batch@8-/);
    expect(readRun(join(cwd, 'highwater-runs', folder!)).name).toBe('lr=0.1,batch@8');
    for (const name of ['a/b', '..', '.hidden', '', 'two words', 'x'.repeat(101)]) {
      const refused = await highwater([...quick, '--name', name, '--', 'echo', 'ran'], { cwd });
      expect(refused.code).toBe(125);
      expect(refused.stderr).toMatch(/^highwater: .*cannot be a name.*\n$/);
      expect(String(refused.stdout)).toBe('');
    }
    expect(readdirSync(join(cwd, 'highwater-runs'))).toHaveLength(1);
  });

  it('never over another recording, unless it is forced to', async () => {
    const { folder, run } = await recorded([], ['true']);
    writeFileSync(join(folder, 'my notes.txt'), 'precious');
    const refused = await highwater([...shortFlags(folder), '--strict', '--', 'echo', 'ran']);
    expect(refused.code).toBe(125);
    expect(refused.stderr).toMatch(/^highwater: .* exists already \(.*--force\)\n$/);
    expect(String(refused.stdout)).toBe('');
    expect(readRun(folder).id).toBe(run.id);
    const forced = await highwater([...shortFlags(folder), '--force', '--', 'true']);
    expect(forced.code).toBe(0);
    expect(readRun(folder).id).not.toBe(run.id);
    expect(readFileSync(join(folder, 'my notes.txt'), 'utf8')).toBe('precious');
  });

  it('never into a folder of something else, forced or not', async () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'thesis.tex'), 'precious');
    for (const force of [[], ['--force']]) {
      const words = [...shortFlags(folder), '--strict', ...force, '--', 'echo', 'ran'];
      const refused = await highwater(words);
      expect(refused.code).toBe(125);
      expect(refused.stderr.trim().split('\n')).toHaveLength(1);
      expect(String(refused.stdout)).toBe('');
      expect(readdirSync(folder)).toEqual(['thesis.tex']);
    }
  });

  it('says what a client leaves outside', async () => {
    const bin = emptyFolder();
    writeFileSync(join(bin, 'docker'), '#!/bin/sh\necho container');
    chmodSync(join(bin, 'docker'), 0o755);
    const env = { PATH: `${bin}:${process.env.PATH}` };
    const { stdout, stderr, run } = await recorded([], ['docker', 'run', 'x'], { env });
    expect(String(stdout)).toBe('container\n');
    expect(stderr).toMatch(/^highwater: docker is only a client: .*inside the container\n$/);
    expect(run.warnings.join()).toContain('docker is only a client');
  });

  it('without secrets of the command line in any of its files', async () => {
    const words = ['--api-key', 'k3yk3y', 'HF_TOKEN=t0kt0k', 'https://me:p4ssp4ss@example.org/x'];
    const { folder, run } = await recorded([], ['sh', '-c', 'sleep 0.3', 'x.py', ...words]);
    expect(run.argv.join(' ')).toContain('--api-key');
    for (const name of readdirSync(folder)) {
      const bytes = readFileSync(join(folder, name)).toString('latin1');
      for (const secret of ['k3yk3y', 't0kt0k', 'p4ssp4ss']) expect(bytes).not.toContain(secret);
    }
  });
});

describe('the newest recording', () => {
  it('is what report, plot and export take without an argument', async () => {
    const cwd = emptyFolder();
    const nowhere = { HOME: emptyFolder(), TMPDIR: emptyFolder() };
    for (const name of ['older', 'newer']) {
      const argv = [...quick, '-q', '--name', name, '--', 'sleep', '0.3'];
      expect((await highwater(argv, { cwd })).code).toBe(0);
    }
    const report = await highwater(['report', '--json'], { cwd, env: nowhere });
    expect(JSON.parse(String(report.stdout))).toMatchObject({ recording: { name: 'newer' } });
    const plot = await highwater(['plot', '-o', 'chart.svg'], { cwd, env: nowhere });
    expect(plot.code).toBe(0);
    expect(readFileSync(join(cwd, 'chart.svg'), 'utf8')).toContain('<svg');
    const csv = await highwater(['export', '--to', 'csv'], { cwd, env: nowhere });
    expect(String(csv.stdout)).toMatch(/^seconds,mem_used\n/);
    expect(report.stderr).toMatch(
      /^highwater: highwater-runs\/newer-.*\.hw, the newest recording\n$/,
    );
    const none = await highwater(['report'], { cwd: emptyFolder(), env: nowhere });
    expect(none.code).toBe(2);
    expect(none.stderr).toMatch(/^highwater: there is no recording in .*\n$/);
  });

  it('is named at the end of record, with what to type next', async () => {
    const cwd = emptyFolder();
    const { stderr, stdout } = await highwater(
      [...quick, '--', 'sh', '-c', 'sleep 0.3; echo out'],
      {
        cwd,
      },
    );
    expect(String(stdout)).toBe('out\n');
    expect(stderr).toMatch(/^Peak /);
    expect(stderr).toContain('highwater report');
    const [folder] = readdirSync(join(cwd, 'highwater-runs'));
    expect(stderr).toContain(folder);
    expect(existsSync(join(cwd, 'highwater-runs', folder!, 'run.json'))).toBe(true);
  });
});
