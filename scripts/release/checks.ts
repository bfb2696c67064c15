import { readFileSync } from 'node:fs';
import { unzipSync } from 'fflate';
import { manifest } from './highwater-wheel.ts';
import { elfFacts, GLIBC, type Platform } from './native.ts';

/** One version for all, and one name on PyPI: what is wrong, a line each. */
export function versionProblems(): string[] {
  const { version, keywords } = manifest();
  const problems: string[] = [];
  const expect = (where: string, found: string | undefined, wanted: string) => {
    if (found !== wanted) problems.push(`${where} says ${found ?? 'nothing'}, not ${wanted}`);
  };
  const pyproject = readFileSync('python/pyproject.toml', 'utf8');
  const agent = readFileSync('python/highwater/__init__.py', 'utf8');
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { version: string };
  expect('package-lock.json', lock.version, version);
  expect('version in python/pyproject.toml', valueIn(pyproject, 'version'), version);
  expect('name in python/pyproject.toml', valueIn(pyproject, 'name'), 'highwater-profiler');
  expect('__version__ in python/highwater/__init__.py', valueIn(agent, '__version__'), version);
  const words = /^keywords = (\[.*\])$/m.exec(pyproject)?.[1];
  expect(
    'keywords in python/pyproject.toml',
    words,
    JSON.stringify(keywords).replaceAll(',', ', '),
  );
  return problems;
}

const valueIn = (text: string, name: string) =>
  new RegExp(`^${name} = "(.*)"$`, 'm').exec(text)?.[1];

/** What the release is asked to have, besides all that pip finds out by itself. */
const NEEDED = [
  'highwater/__init__.py',
  'highwater/_inject/sitecustomize.py',
  'highwater_profiler/launcher.py',
  'highwater_profiler/package/package.json',
  'highwater_profiler/package/dist/cli.js',
  'highwater_profiler/package/dist/sampler-thread.js',
  'highwater_profiler/package/dist/node-heap.cjs',
  'highwater_profiler/package/dist/node-agent.cjs',
  'highwater_profiler/package/dist/web/index.html',
  'highwater_profiler/package/assets/fonts/Inter-Regular.ttf',
  'highwater_profiler/package/python/highwater/_inject/sitecustomize.py',
];
const FOREIGN = /(^|\/)(test|tests|scripts|__pycache__)\/|\.map$|\.pyc$|\.d\.ts$/;

/** Of a wheel that has been built: what is missing, too much, or made for another machine. */
export function wheelProblems(bytes: Uint8Array, platform: Platform): string[] {
  const files = unzipSync(bytes);
  const paths = Object.keys(files);
  const natives = paths.filter((path) => path.endsWith('.node'));
  return [
    ...NEEDED.filter((path) => !files[path]).map((path) => `${path} is missing`),
    ...paths.filter((path) => FOREIGN.test(path)).map((path) => `${path} does not belong in it`),
    ...(natives.length === 2 ? [] : [`${natives.length} native pieces, not 2`]),
    ...natives.flatMap((path) => {
      const { machine, glibc } = elfFacts(files[path]!);
      const newer = glibc[0] > GLIBC[0] || (glibc[0] === GLIBC[0] && glibc[1] > GLIBC[1]);
      return [
        ...(machine === platform.elf ? [] : [`${path} is not for ${platform.machine}`]),
        ...(newer ? [`${path} needs glibc ${glibc.join('.')}`] : []),
      ];
    }),
  ];
}
