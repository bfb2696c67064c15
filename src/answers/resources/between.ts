import { between as difference } from '../../analyses/panels/between.ts';
import { UserError } from '../../base/errors.ts';
import { asRun, type Resource } from './resource.ts';
import { number, timeline } from './timeline.ts';

/** What changed between two moments that a reader pinned: `from`, `to`, `clock`. */
export const between: Resource = {
  name: 'between',
  scope: 'run',
  has: timeline.has,
  async get(_opened, run, query) {
    const [one, other] = [number(query, 'from'), number(query, 'to')];
    if (one === undefined || other === undefined) {
      throw new UserError('two moments are needed', { hint: 'give from and to' });
    }
    const { recording, snapshots } = asRun(run);
    const clock = query.get('clock') === 'event' ? 'event' : 'time';
    const [from, to] = one < other ? [one, other] : [other, one];
    return difference(recording, snapshots, { clock, from, to });
  },
  embed: () => null,
};
