import type { DeviceTrace } from '../../model/allocations/trace.ts';
import type { Recording } from '../../model/recording.ts';
import { reasonsOf } from './categories.ts';
import type { Category } from './evidence/reasons.ts';
import { scene } from './evidence/scene.ts';

/** What an allocation (a row of the lifetimes) is taken for. */
export function categoryOf(recording: Recording, trace: DeviceTrace): (row: number) => Category {
  const reasonOf = reasonsOf(scene(recording, trace));
  return (row) => reasonOf(row).category;
}
