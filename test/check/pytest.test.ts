import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import { cleanEnv, place } from '../support/recorder.ts';
import { wheelPython, whereWheel } from '../support/torch.ts';

const TESTS = `
import pytest

KEPT = []

@pytest.mark.highwater(peak="64MiB")
def test_within():
    bytearray(32 << 20)

@pytest.mark.highwater(peak="16MiB")
def test_over():
    bytearray(32 << 20)

@pytest.mark.highwater(leak=False)
def test_leaks_large():
    KEPT.append(bytearray(1 << 20))

@pytest.mark.highwater(leak=False)
def test_leaks_small():
    KEPT.append(object())

@pytest.mark.parametrize("size", [10, 1000])
@pytest.mark.highwater(peak="64MiB", leak=False)
def test_clean(tmp_path, size):
    {i: str(i) for i in range(size)}

@pytest.mark.highwater(peek="1MB")
def test_unknown():
    pass

@pytest.mark.highwater(peak="much")
def test_unreadable():
    pass

@pytest.mark.highwater(peak="1GiB")
def test_fails():
    assert 1 == 2

def test_without_limits():
    KEPT.append(bytearray(1 << 20))
`;

const python = wheelPython()!;
const run = (command: string, argv: string[], cwd: string, env: NodeJS.ProcessEnv = {}) => {
  const { status, stdout, stderr } = spawnSync(command, argv, {
    cwd,
    env: cleanEnv(env),
    encoding: 'utf8',
  });
  return { status, text: stdout + stderr };
};

whereWheel()(
  'limits on the memory of tests under pytest, from the wheel in an environment of its own',
  () => {
    const folder = place('wheel');
    mkdirSync(folder);
    // A copy: building leaves files beside the sources.
    run('cp', ['-r', resolve('python'), join(folder, 'source')], folder);
    const build = ['-m', 'pip', 'wheel', '-q', '--no-deps', '--no-build-isolation', './source'];
    expect(run(python, build, folder)).toMatchObject({ status: 0 });
    const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'))!;
    expect(wheel).toMatch(/^highwater_profiler-[\d.]+-py3-none-any\.whl$/);

    expect(run(python, ['-m', 'venv', '--system-site-packages', 'env'], folder).status).toBe(0);
    const own = join(folder, 'env/bin/python');
    // Packages of the environment that has pytest, and ours from the wheel.
    const site = run(
      python,
      ['-c', 'import pytest; print(pytest.__path__[0])'],
      folder,
    ).text.trim();
    const env = { PYTHONPATH: resolve(site, '..') };
    expect(
      run(own, ['-m', 'pip', 'install', '-q', '--no-index', '--no-deps', wheel], folder).text,
    ).toBe('');
    const where = run(own, ['-c', 'import highwater; print(highwater.__file__)'], folder, env);
    expect(where.text).toContain(join(folder, 'env'));

    writeFileSync(join(folder, 'test_limits.py'), TESTS);
    const { status } = run(
      own,
      ['-m', 'pytest', '-q', '--junit-xml', 'out.xml', 'test_limits.py'],
      folder,
      env,
    );
    expect(status).toBe(1);
    const failures = new Map(
      [
        ...readFileSync(join(folder, 'out.xml'), 'utf8').matchAll(
          / name="(test_[^"]+)"[^>]*><failure message="([^"]*)"/g,
        ),
      ].map(([, name, message]) => [name, message]),
    );
    expect([...failures.keys()].sort()).toEqual([
      'test_fails',
      'test_leaks_large',
      'test_leaks_small',
      'test_over',
      'test_unknown',
      'test_unreadable',
    ]);
    expect(failures.get('test_over')).toMatch(/peak of 3\d.* MiB, 16 MiB allowed/);
    expect(failures.get('test_leaks_large')).toMatch(/a leak, 1\.0\d* MiB/);
    expect(failures.get('test_leaks_small')).toMatch(/1 objects kept by each of 20 calls/);
    expect(failures.get('test_unknown')).toContain('unknown limit');
    expect(failures.get('test_unreadable')).toContain('is not a size');
  },
  120_000,
);
