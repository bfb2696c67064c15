import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { inOneProcess } from '../support/one-process.ts';
import { cleanEnv, place, readRun } from '../support/recorder.ts';
import { wheelPython, whereWheel } from '../support/torch.ts';
import { everydayWork } from './everyday.ts';
import { MAJORS, nodeOf } from './nodes.ts';
import { npm } from './npm.ts';

interface Tarball {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
};

describe('the package', () => {
  let tarball: Tarball;
  const home = place('home');

  beforeAll(async () => {
    const packed = place('packed');
    mkdirSync(packed);
    mkdirSync(home);
    // The build is there already; building it again would pull it from under other tests.
    const list = await npm('.', 'pack', '--ignore-scripts', '--json', '--pack-destination', packed);
    tarball = (JSON.parse(list) as Tarball[])[0]!;
    // Nothing of it, nor of what it depends on, needs a script to run at the installation.
    const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'];
    const installed = npm(home, ...install, join(packed, tarball.filename));
    await Promise.all([installed, ...MAJORS.map((major) => nodeOf(major).catch(() => {}))]);
  }, 300_000);

  it('has what is needed to run it, and nothing else', () => {
    const paths = tarball.files.map((file) => file.path);
    expect(paths).toEqual(
      expect.arrayContaining([
        'package.json',
        'README.md',
        'dist/THIRD-PARTY-NOTICES',
        'dist/cli.js',
        'dist/sampler-thread.js',
        'dist/writer-thread.js',
        'dist/types/index.d.ts',
        'python/pyproject.toml',
        'python/highwater/_inject/sitecustomize.py',
      ]),
    );
    const allowed = /^(package\.json|[A-Z]+(\.md)?|(dist|assets|docs|python)\/)/;
    expect(paths.filter((path) => !allowed.test(path))).toEqual([]);
    const foreign =
      /(^|\/)(test|tests|src|bench|examples|scripts|images|node_modules|__pycache__)\/|\.test\.|\.map$/;
    expect(paths.filter((path) => foreign.test(path))).toEqual([]);
  });

  it('runs no script where it is installed, and is as large as the README says', () => {
    expect(Object.keys(manifest.scripts).filter((name) => /install/.test(name))).toEqual([]);
    const stated = /([\d.]+) MB packed, ([\d.]+) MB unpacked/.exec(
      readFileSync('README.md', 'utf8'),
    );
    expect(stated).not.toBeNull();
    for (const [text, bytes] of [
      [stated![1], tarball.size],
      [stated![2], tarball.unpackedSize],
    ] as const) {
      expect(Math.abs(Number(text) * 1e6 - bytes) / bytes).toBeLessThan(0.1);
    }
  });

  it('works from an empty folder, and draws as the checkout does', async () => {
    expect((await npm(home, 'exec', '--', 'highwater', '--version')).trim()).toBe(manifest.version);
    const bin = join(home, 'node_modules', '.bin', 'highwater');
    const run = (...argv: string[]) => execFileSync(bin, argv, { cwd: home, env: cleanEnv() });
    run('record', '--before', '0.2', '--after', '0.2', '--', 'node', '-e', '0');
    const [folder] = readdirSync(join(home, 'highwater-runs'));
    const recording = join(home, 'highwater-runs', folder!);
    expect(readRun(recording)).toMatchObject({
      exit: { code: 0 },
      recorder: { version: manifest.version },
    });
    expect(String(run('report'))).toMatch(/^Peak /);
    run('plot', '-o', 'x.png');
    const png = readFileSync(join(home, 'x.png'));
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    // Text without its font would leave a much smaller picture of the same recording.
    expect((await inOneProcess(['plot', recording, '-o', join(home, 'y.png')])).code).toBe(0);
    expect(png.equals(readFileSync(join(home, 'y.png')))).toBe(true);
  });

  it('has types for programs that import it', () => {
    const program = `import { asizeof, expectMemory, iteration, open, record, type RecordOptions, UserError } from 'highwater';
iteration(1);
const options: RecordOptions = { rateHz: 10, gpu: 'off', output: (chunk, stream) => console.log(chunk.length, stream) };
const { path, exitCode } = await record(['true'], options);
const opened = await open(path);
const peak: number | undefined = opened.type === 'recording' ? opened.report().peaks[0]?.bytes : exitCode;
// @ts-expect-error: a heap has no report
if (opened.type === 'heap') opened.report();
// @ts-expect-error: a command is a list of words
await record('true', { rateHz: '10' }).catch((error) => error instanceof UserError && error.hint);
console.log(peak);
const bytes: number = asizeof({});
await expectMemory(() => bytes, { peak: '64MiB' });
// @ts-expect-error: types that are not found would be any
iteration('one', {}, []);
`;
    writeFileSync(join(home, 'program.mts'), program);
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022'];
    const types = ['--types', 'node', '--typeRoots', resolve('node_modules/@types')];
    const tsc = resolve('node_modules/typescript/bin/tsc');
    const argv = [tsc, ...flags, ...types, 'program.mts'];
    expect(execFileSync(process.execPath, argv, { cwd: home, encoding: 'utf8' })).toBe('');
  });

  whereWheel()('has the Python package in it, which builds as a whole wheel', () => {
    const python = wheelPython()!;
    const run = (argv: string[], env = {}) =>
      execFileSync(python, argv, { cwd: home, env: cleanEnv(env), encoding: 'utf8' });
    const source = 'node_modules/highwater/python';
    run(['-m', 'pip', 'wheel', '-q', '--no-deps', '--no-build-isolation', `./${source}`]);
    const wheel = `highwater_profiler-${manifest.version}-py3-none-any.whl`;
    const contents = run(['-m', 'zipfile', '-l', wheel]).match(/^highwater(_profiler)?\/\S+/gm)!;
    const modules = readdirSync('python', { recursive: true, encoding: 'utf8' }).filter((path) =>
      /^highwater(_profiler)?\/.*\.py$/.test(path),
    );
    expect(contents.sort()).toEqual(modules.sort());
    // A wheel is a zip file, which Python imports from as it is.
    const env = { PYTHONPATH: join(home, wheel) };
    expect(run(['-m', 'highwater', '--version'], env).trim()).toBe(manifest.version);
    expect(run(['-m', 'highwater'], env)).toMatch(/highwater\/_inject\n$/);
  });

  it.for(MAJORS)(
    'does its everyday work on Node %i',
    { timeout: 180_000 },
    async (major, { skip }) => {
      const node = await nodeOf(major).catch((error: unknown) => {
        if (process.env.HIGHWATER_NO_SKIP === '1') throw error;
        skip(`Node ${major} cannot be fetched from the registry`);
      });
      const line = execFileSync(node!, ['--version'], { encoding: 'utf8' });
      expect(line).toMatch(new RegExp(`^v${major}\\.`));
      await everydayWork({ home, node: node! }, manifest.version);
    },
  );
});
