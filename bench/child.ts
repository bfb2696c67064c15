import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Runs a module of this folder in a process of its own with `gc()`; what it prints, as JSON. */
export async function runModule<T>(module: string, ...words: (string | number)[]): Promise<T> {
  const path = fileURLToPath(new URL(module, import.meta.url));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', '--import', 'tsx', path, ...words.map(String)],
    { maxBuffer: 2 ** 26 },
  );
  return JSON.parse(stdout) as T;
}

export interface MemoryLevel {
  readonly rss: number;
  readonly heap: number;
  /** Typed arrays and other memory outside of the heap. */
  readonly external: number;
}

/** What this process holds once garbage is gone; buffers are given back only after a turn. */
export async function memoryLevel(): Promise<MemoryLevel> {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, heap: heapUsed, external };
}
