import type { Series } from './series.ts';

/**
 * What was in use before a run began: the first sample of a GPU or a machine. A process tree had
 * nothing before it was there, so all of it is its own.
 */
export function baselineOf({ name, values }: Series): number {
  return name.startsWith('tree.') ? 0 : values[0]!;
}
