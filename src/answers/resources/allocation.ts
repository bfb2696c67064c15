import { allocationFacts } from '../../analyses/allocations/allocation-facts.ts';
import { UserError } from '../../base/errors.ts';
import { asRun, type Resource } from './resource.ts';
import { chosenTrace, hasTraces } from './run-traces.ts';

/** One allocation (`row=`): who made it, what it is and why, who freed it. */
export const allocation: Resource = {
  name: 'allocation',
  scope: 'run',
  has: (_opened, run) => hasTraces(run),
  async get(_opened, run, query) {
    const { recording, trace } = chosenTrace(asRun(run), query);
    const facts = allocationFacts(recording, trace, Number(query.get('row') ?? Number.NaN));
    if (facts) return facts;
    throw new UserError(`there is no allocation ${query.get('row') ?? ''}`.trimEnd());
  },
  embed: () => null,
  leftOut: () => 'who freed an allocation, and when in a step',
};
