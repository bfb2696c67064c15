import { UserError } from '../../base/errors.ts';
import { Columns } from '../../model/columns.ts';
import { asRun, type Resource } from './resource.ts';

/** A job of very many ranks: what `highwater job --json` prints, and a row of each rank over time. */
export const job: Resource = {
  name: 'job',
  scope: 'run',
  has: (_opened, run) => asRun(run).job !== undefined,
  async get(opened, run) {
    const found = asRun(run).job;
    if (!found) throw new UserError('this is no job of many ranks');
    const { header, ...arrays } = await found.open((progress) => opened.progress(progress));
    return new Columns(header, arrays);
  },
};
