import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Device, devices } from '../../src/analyses/allocations/index.ts';
import { NO_ID } from '../../src/model/allocations/actions.ts';
import type { Recording } from '../../src/model/recording.ts';
import type { Table } from '../../src/model/table.ts';
import { openInput } from '../../src/open/open.ts';

/** Snapshots of real training runs whose tensors were known by address while they ran. */
export const TRAINING = join(import.meta.dirname, '../fixtures/snapshots/training');

export type CategoryBytes = Readonly<Record<string, number>>;

/** File → bytes of each category live at the peak. */
export function groundTruths(folder: string): [string, CategoryBytes][] {
  return readFileSync(join(folder, 'categories.ndjson'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .flatMap((line) =>
      Object.entries(JSON.parse(line) as Record<string, { categories: CategoryBytes }>).map(
        ([file, { categories }]) => [file, categories] as [string, CategoryBytes],
      ),
    );
}

export async function firstDevice(path: string): Promise<Device> {
  return devices(await openInput(path))[0]!;
}

/** The share of the peak's bytes that landed in the right category; unknown is never right. */
export function score({ categories, peakRequestedBytes }: Device, truth: CategoryBytes): number {
  let right = 0;
  for (const { category, bytes } of categories) {
    if (category !== 'unknown') right += Math.min(bytes, truth[category] ?? 0);
  }
  return right / peakRequestedBytes;
}

/** The same recording as if nobody had recorded that column: `tag` or `stack`. */
export function without(recording: Recording, column: 'tag' | 'stack'): Recording {
  const bare = (table: Table) =>
    behind(table, 'u32', (wanted: string) =>
      wanted === column ? new Uint32Array(table.rows).fill(NO_ID) : table.u32(wanted),
    );
  return behind(recording, 'table', (name: Parameters<Recording['table']>[0]) => {
    const table = recording.table(name);
    return name === 'allocations' || name === 'blocks' ? bare(table) : table;
  });
}

/** An object whose one method is another. */
function behind<T extends object>(object: T, method: keyof T, replacement: unknown): T {
  return new Proxy(object, {
    get(target, key) {
      if (key === method) return replacement;
      const value = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
