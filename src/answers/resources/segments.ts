import { layoutAt } from '../../analyses/allocations/layout.ts';
import { summary } from '../../model/allocations/curve.ts';
import { Columns } from '../../model/columns.ts';
import { asRun, type Resource } from './resource.ts';
import { chosenTrace, eventIn, hasTraces } from './run-traces.ts';

/** The allocator's segments with their blocks and holes at one moment, `at=`: the peak by default. */
export const segments: Resource = {
  name: 'segments',
  scope: 'run',
  has: (_opened, run) =>
    hasTraces(run) &&
    [run!.recording, ...run!.snapshots].some(({ tables }) => tables.includes('segments')),
  async get(_opened, run, query) {
    const chosen = chosenTrace(asRun(run), query);
    const peak = summary(chosen.trace).peakEvent;
    const event = eventIn(chosen, query, 'at', peak) ?? peak;
    const { header, arrays } = layoutAt(chosen.recording, chosen.trace, event);
    return new Columns({ ...header, index: chosen.index }, arrays);
  },
  leftOut: () => 'the segments at other moments than the peak',
};
