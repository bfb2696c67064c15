import { UserError } from '../../base/errors.ts';
import type { OpenRun } from './resource.ts';

/** For resources of a run, which are never asked for without one. */
export function asRun(run: OpenRun | undefined): OpenRun {
  if (run) return run;
  throw new UserError('this is asked of one run', { hint: 'name it: /api/run/0/…' });
}
