import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { needs } from '../support/programs.ts';
import { cleanEnv, highwater, place, readRun } from '../support/recorder.ts';

/** Runs npm without what the test runner's own npm set for its scripts. */
function npm(cwd: string, ...argv: string[]): string {
  const env = Object.fromEntries(
    Object.entries(cleanEnv()).filter(([name]) => !/^npm_(config|package|lifecycle)_/i.test(name)),
  );
  return execFileSync('npm', argv, {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

needs('npm')(
  'the package installs into an empty folder and does its work there',
  async () => {
    const packed = place('packed');
    mkdirSync(packed);
    // The build is there already; building it again would pull it from under other tests.
    const list = npm('.', 'pack', '--ignore-scripts', '--json', '--pack-destination', packed);
    const [tarball] = JSON.parse(list) as { filename: string; files: { path: string }[] }[];
    const paths = tarball!.files.map((file) => file.path);
    expect(paths).toEqual(
      expect.arrayContaining([
        'package.json',
        'README.md',
        'dist/cli.js',
        'dist/sampler-thread.js',
        'dist/writer-thread.js',
      ]),
    );
    const allowed = /^(package\.json|[A-Z]+(\.md)?|(dist|assets|docs|python)\/)/;
    expect(paths.filter((path) => !allowed.test(path))).toEqual([]);
    const foreign =
      /(^|\/)(test|tests|src|bench|examples|scripts|node_modules|__pycache__)\/|\.test\./;
    expect(paths.filter((path) => foreign.test(path))).toEqual([]);

    const home = place('home');
    mkdirSync(home);
    npm(home, 'install', '--no-audit', '--no-fund', join(packed, tarball!.filename));
    const version = (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string })
      .version;
    expect(npm(home, 'exec', '--', 'highwater', '--version').trim()).toBe(version);

    const bin = join(home, 'node_modules', '.bin', 'highwater');
    const run = (...argv: string[]) => execFileSync(bin, argv, { cwd: home, env: cleanEnv() });
    run('record', '--before', '0.2', '--after', '0.2', '--', 'node', '-e', '0');
    const [folder] = readdirSync(join(home, 'highwater-runs'));
    const recording = join(home, 'highwater-runs', folder!);
    expect(readRun(recording)).toMatchObject({ exit: { code: 0 }, recorder: { version } });
    expect(String(run('report'))).toMatch(/^Peak /);
    run('plot', '-o', 'x.png');
    const png = readFileSync(join(home, 'x.png'));
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    // Text without its font would leave a much smaller picture of the same recording.
    expect((await highwater(['plot', recording, '-o', join(home, 'y.png')])).code).toBe(0);
    expect(png.equals(readFileSync(join(home, 'y.png')))).toBe(true);
  },
  180_000,
);
