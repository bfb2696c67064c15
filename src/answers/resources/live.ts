import { live as liveState } from '../../analyses/live.ts';
import { asRun, type Resource } from './resource.ts';

/** How a run that is still recorded stands. */
export const live: Resource = {
  name: 'live',
  scope: 'run',
  has(_opened, run) {
    const { subject, endedAt } = asRun(run).recording.run;
    return subject !== 'import' && endedAt === null;
  },
  get: async (_opened, run) => liveState(asRun(run).recording, asRun(run).result),
  // A file does not go on.
  embed: () => null,
};
