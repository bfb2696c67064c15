import type { Fit } from '../../analyses/fit/index.ts';
import { parsePlace } from '../../analyses/fit/place.ts';
import type { Sweep } from '../../analyses/sweep/index.ts';
import { parseSize } from '../../base/bytes.ts';
import { UserError } from '../../base/errors.ts';
import type { Resource } from './resource.ts';

/** A sweep's folder as it was opened. */
export interface OpenSweep {
  /** What `highwater report FOLDER --json` prints. */
  readonly result: Sweep;
  /** What would fit, as `--fit`, `--at` and `--in-use` ask. */
  fit(question: FitQuestion): Fit | null;
}

export interface FitQuestion {
  readonly fit: number;
  readonly at?: Readonly<Record<string, string>>;
  readonly inUse?: number;
}

/** The table of a sweep; with `?fit=24GiB`, `&at=batch=48` and `&in-use=1GiB` also what would fit. */
export const sweep: Resource = {
  name: 'sweep',
  scope: 'job',
  has: ({ sweep }) => sweep !== undefined,
  async get({ sweep }, _run, query) {
    if (!sweep) throw new UserError('this is no sweep');
    return { ...sweep.result, fit: answer(sweep, query) };
  },
  leftOut: ({ sweep }) => (sweep ? 'what would fit into other sizes of memory' : null),
};

function answer(sweep: OpenSweep, query: URLSearchParams): Fit | null {
  const limit = query.get('fit');
  if (!limit) return null;
  const [at, inUse] = [query.get('at'), query.get('in-use')];
  return sweep.fit({
    fit: parseSize(limit),
    at: at ? parsePlace(at) : undefined,
    inUse: inUse ? parseSize(inUse) : undefined,
  });
}
