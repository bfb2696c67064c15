import { isReplayable } from '../../analyses/allocations/what-if/ready.ts';
import { progressOf } from '../replays/progress.ts';
import { asRun, type Resource } from './resource.ts';

/** How far the answer to the same question of `what-if` is; null: nobody is at work on it. */
export const whatIfProgress: Resource = {
  name: 'what-if-progress',
  scope: 'run',
  has: (_opened, run) => run !== undefined && [run.recording, ...run.snapshots].some(isReplayable),
  get: async (_opened, run, query) => ({
    type: 'what-if-progress',
    progress: progressOf(asRun(run).recording, query),
  }),
  embed: () => null,
};
