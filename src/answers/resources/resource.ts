import { UserError } from '../../base/errors.ts';
import type { Columns } from '../../model/columns.ts';
import type { OpenInputs, OpenRun } from '../opened.ts';

/** JSON-able data, or columns where there are many numbers. */
export type Payload = object | Columns;

/**
 * A named piece of data about one run or about all of them: the one way in which data reaches the
 * page. To add one, write a file beside this and name it in index.ts.
 */
export interface Resource {
  readonly name: string;
  readonly scope: 'run' | 'job';
  /** Whether these inputs have such a thing; cheap, as it is asked for each run that is opened. */
  has(opened: OpenInputs, run?: OpenRun): boolean;
  /** `query`: parameters of the address. A UserError in it is shown on the page. `signal`: nobody waits for the answer any more. */
  get(
    opened: OpenInputs,
    run: OpenRun | undefined,
    query: URLSearchParams,
    signal?: AbortSignal,
  ): Promise<Payload>;
  /** For a one-file report: the queries whose answers it carries (default: the empty one); null: none. */
  embed?(opened: OpenInputs, run?: OpenRun): readonly string[] | null;
  /** What a reader of the one-file report cannot see, in one sentence; null: nothing. */
  leftOut?(opened: OpenInputs, run?: OpenRun): string | null;
}

/** For resources of a run, which are never asked for without one. */
export function asRun(run: OpenRun | undefined): OpenRun {
  if (run) return run;
  throw new UserError('this is asked of one run', { hint: 'name it: /api/run/0/…' });
}

/** Whether there are two runs that tell anything over time; heaps alone do not. */
export const isComparable = ({ runs }: OpenInputs): boolean =>
  runs.filter(({ recording }) => recording.tables.length > 0).length > 1;
