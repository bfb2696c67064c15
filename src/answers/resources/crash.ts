import { outOfMemory } from '../../analyses/out-of-memory.ts';
import { outOfMemoryVerdict } from '../../analyses/verdict/out-of-memory.ts';
import { asRun, type Resource } from './resource.ts';

/** Of a log: what `highwater report LOG --json` prints. */
export const crash: Resource = {
  name: 'crash',
  scope: 'run',
  has: (_opened, run) => asRun(run).crash !== undefined,
  async get(_opened, run) {
    const result = outOfMemory(asRun(run).crash!);
    return { ...result, verdict: outOfMemoryVerdict(result) };
  },
};
