import { existsSync, readFileSync } from 'node:fs';
import { arch } from 'node:os';
import { join } from 'node:path';
import type { Located } from '../../backend.ts';

const NAME = 'libnvidia-ml.so.1';
const CACHE = '/etc/ld.so.cache';

/** Where distributions, WSL, container mounts and NixOS put it. */
const FOLDERS = [
  '/usr/lib/wsl/lib',
  `/usr/lib/${arch() === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`,
  '/usr/lib64',
  '/usr/lib',
  '/usr/lib/nvidia',
  '/usr/local/nvidia/lib64',
  '/usr/local/cuda/compat',
  '/run/opengl-driver/lib',
  '/opt/nvidia/lib64',
];

/**
 * The driver's management library, found without loading anything. `HIGHWATER_NVML` names another
 * one. The loader's own cache is asked too, as text: it holds the paths that `ldconfig` found.
 */
export function findLibrary(
  env: NodeJS.ProcessEnv = process.env,
  exists: (path: string) => boolean = existsSync,
): Located {
  const named = env.HIGHWATER_NVML;
  if (named) {
    return exists(named)
      ? { path: named }
      : { reason: `HIGHWATER_NVML names ${named}, which is not there` };
  }
  const folders = [...(env.LD_LIBRARY_PATH ?? '').split(':').filter(Boolean), ...FOLDERS];
  const places = [...cached(), ...folders.map((folder) => join(folder, NAME))];
  const path = places.find(exists);
  return path ? { path } : { reason: `no NVIDIA driver library (${NAME}) on this machine` };
}

function cached(): string[] {
  try {
    const text = readFileSync(CACHE, 'latin1');
    return text.split('\0').filter((word) => word.startsWith('/') && word.endsWith(`/${NAME}`));
  } catch {
    return [];
  }
}
