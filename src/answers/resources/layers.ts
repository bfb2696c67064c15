import { packLayers } from '../../analyses/layers/packed.ts';
import { Columns } from '../../model/columns.ts';
import { asRun, type Resource } from './resource.ts';

/** What every layer held in every iteration; the page adds it up for the one that is looked at. */
export const layers: Resource = {
  name: 'layers',
  scope: 'run',
  has: (_opened, run) => run?.recording.tables.includes('layers') ?? false,
  async get(_opened, run) {
    const { header, arrays } = packLayers(asRun(run).recording);
    return new Columns(header, arrays);
  },
};
