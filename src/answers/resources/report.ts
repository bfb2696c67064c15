import { asRun, type Resource } from './resource.ts';

/** What `highwater report --json` prints, the same object. */
export const report: Resource = {
  name: 'report',
  scope: 'run',
  // A heap alone, or a log, was not recorded: there is nothing to report of.
  has: (_opened, run) =>
    asRun(run).recording.tables.length > 0 || !(run?.heaps?.length || run?.crash || run?.job),
  get: async (_opened, run) => asRun(run).result,
};
