import type { Fit } from '../../analyses/fit/index.ts';
import { parseParams } from '../../analyses/fit/question.ts';
import { parseSize } from '../../base/bytes.ts';
import { UserError } from '../../base/errors.ts';
import type { LazySweep } from '../opened.ts';
import type { Resource } from './resource.ts';

/** The table of a sweep; with `?fit=24GiB`, `&at=batch=48` and `&in-use=1GiB` also what would fit. */
export const sweep: Resource = {
  name: 'sweep',
  scope: 'job',
  has: ({ sweep }) => sweep !== undefined,
  async get({ sweep }, _run, query) {
    if (!sweep) throw new UserError('this is no sweep');
    return { ...sweep.result, fit: fitOf(sweep, query) };
  },
  leftOut: ({ sweep }) => (sweep ? 'what would fit into other sizes of memory' : null),
};

function fitOf(sweep: LazySweep, query: URLSearchParams): Fit | null {
  const limit = query.get('fit');
  if (!limit) return null;
  const [at, inUse] = [query.get('at'), query.get('in-use')];
  return sweep.fit({
    limitBytes: parseSize(limit),
    at: at ? parseParams(at) : undefined,
    inUseBytes: inUse ? parseSize(inUse) : undefined,
  });
}
