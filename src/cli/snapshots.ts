import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from '../base/errors.ts';
import type { Recording } from '../model/recording.ts';
import { openPlace, type Place } from './open.ts';

/**
 * What the workload's allocator left beside a recording when memory ran out: the first one tells why;
 * those after it are of a program that went on.
 */
export async function openSnapshots(place: Place, { run }: Recording): Promise<Recording[]> {
  const folder = place.path.endsWith('.ndjson') ? dirname(place.path) : place.path;
  const [first, ...others] = (run.snapshots ?? [])
    .map(({ file }) => join(folder, file))
    .filter((path) => existsSync(path));
  if (first === undefined) return [];
  if (others.length > 0) {
    run.warnings.push(`further snapshots of the allocator: ${others.join(', ')}`);
  }
  try {
    return [await openPlace({ path: first, kind: 'file' })];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    run.warnings.push(`the allocator's snapshot cannot be read: ${error.message}`);
    return [];
  }
}
