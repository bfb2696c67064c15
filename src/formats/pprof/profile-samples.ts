import { type LiveStack, liveStackPath, liveStacks } from '../../model/allocations/live-stacks.ts';
import type { Recording } from '../../model/recording.ts';
import type { ProfileHead, ProfileSample } from './encode.ts';
import { HEAP_TYPES } from './trace-samples.ts';

/** In the order of HEAP_TYPES. */
const COLUMNS: readonly ((row: LiveStack) => number | null)[] = [
  (row) => row.allocatedObjects,
  (row) => row.allocatedBytes,
  (row) => row.objects,
  (row) => row.bytes,
];

/** A profile that was read, with the values that it told. */
export function profileSamples(recording: Recording): {
  types: ProfileHead['types'];
  samples: ProfileSample[];
} {
  const rows = liveStacks(recording);
  const told = COLUMNS.map((column) => rows.some((row) => column(row) !== null));
  return {
    types: HEAP_TYPES.filter((_, i) => told[i]),
    samples: rows.map((row) => ({
      frames: liveStackPath(recording, row).reverse(),
      values: COLUMNS.filter((_, i) => told[i]).map((column) => column(row) ?? 0),
      labels: (['device', 'kind'] as const).flatMap((key) =>
        row[key] === '' ? [] : [[key, row[key]] as const],
      ),
    })),
  };
}
