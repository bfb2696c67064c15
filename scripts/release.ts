import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { versionProblems, wheelProblems } from './release/checks.ts';
import { highwaterWheel, manifest } from './release/highwater-wheel.ts';
import { PLATFORMS } from './release/native.ts';
import { wheelBytes, wheelFileName } from './release/wheel.ts';

/**
 * Builds what is published, the npm package and a wheel for each platform, into release/, and checks it (docs/releasing.md).
 * `--bare-root` then installs both in a fresh root that has Python only, as an ordinary user; `--wheel-only` is for the tests,
 * which have dist/ already. Publishing is a person's step.
 */
const { values: flags } = parseArgs({
  options: {
    out: { type: 'string', default: 'release' },
    'wheel-only': { type: 'boolean', default: false },
    'bare-root': { type: 'boolean', default: false },
  },
});
const isWheelOnly = flags['wheel-only'];
const out = resolve(flags.out);
const platforms = isWheelOnly ? PLATFORMS.filter(({ arch }) => arch === process.arch) : PLATFORMS;
const problems = versionProblems();
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

const scratch = mkdtempSync(join(tmpdir(), 'highwater-release-'));
try {
  if (!isWheelOnly) packForNpm();
  for (const platform of platforms) {
    const wheel = highwaterWheel(platform, scratch);
    const bytes = wheelBytes(wheel);
    const file = join(out, wheelFileName(wheel));
    writeFileSync(file, bytes);
    problems.push(
      ...wheelProblems(bytes, platform).map((text) => `${wheelFileName(wheel)}: ${text}`),
    );
    console.log(`${file}  ${megabytes(bytes.length)}`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
if (flags['bare-root']) {
  const { status } = spawnSync('scripts/release/bare-root.sh', [out], { stdio: 'inherit' });
  if (status !== 0) problems.push('it does not work in a bare root');
}

for (const problem of problems) console.error(`release: ${problem}`);
if (!isWheelOnly && !manifest().repository) {
  console.error(
    'release: not yet: package.json names no repository, which both package pages show',
  );
}
process.exitCode = problems.length > 0 ? 1 : 0;

function packForNpm(): void {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)),
  );
  execFileSync('npx', ['--no-install', 'tsx', 'scripts/build.ts'], { env, stdio: 'inherit' });
  const argv = ['pack', '--ignore-scripts', '--json', '--pack-destination', out];
  const text = execFileSync('npm', argv, {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ filename }] = JSON.parse(text) as [{ filename: string }];
  const file = join(out, filename);
  console.log(`${file}  ${megabytes(readFileSync(file).length)}`);
  const stated = execFileSync(process.execPath, ['dist/cli.js', '--version'], { encoding: 'utf8' });
  if (stated.trim() !== manifest().version) {
    problems.push(`highwater --version says ${stated.trim()}, not ${manifest().version}`);
  }
}
