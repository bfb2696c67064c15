import { liveStackPath, liveStacks } from '../../../model/allocations/live-stacks.ts';
import type { Recording } from '../../../model/recording.ts';
import type { CallSite } from './tree.ts';

/** What call stacks had in use when a heap profile was taken: all that it tells, at its one moment. */
export const profileSites = (recording: Recording): CallSite[] =>
  liveStacks(recording)
    .filter(({ bytes }) => bytes > 0)
    .map((row) => ({
      path: liveStackPath(recording, row),
      bytes: row.bytes,
      allocations: row.objects ?? 0,
    }));
