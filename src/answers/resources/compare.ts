import { compare as compareRuns } from '../../analyses/compare/index.ts';
import { isComparable, type Resource } from './resource.ts';

/** What `highwater compare --json` prints; `series` and `against` as on the command line. */
export const compare: Resource = {
  name: 'compare',
  scope: 'job',
  has: isComparable,
  get: async ({ runs }, _run, query) =>
    compareRuns(
      runs.map(({ name, recording }) => ({ name, recording })),
      { series: query.get('series') ?? undefined, baseline: query.get('against') ?? undefined },
    ),
  leftOut: (opened) =>
    isComparable(opened) ? 'comparisons in another series or against another run' : null,
};
