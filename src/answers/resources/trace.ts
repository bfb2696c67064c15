import { allocationMap, mapTimes } from '../../analyses/allocations/map/index.ts';
import { MOST_ROWS, reducedMap } from '../../analyses/allocations/map/reduced.ts';
import { lifetimes } from '../../model/allocations/lifetimes.ts';
import { Columns } from '../../model/columns.ts';
import { asRun, type Resource } from './resource.ts';
import { chosenTrace, hasTraces, runTraces } from './run-traces.ts';

/** Every allocation of a trace as columns; `part=times`: when the events were; `small=1`: the smallest merged. */
export const trace: Resource = {
  name: 'trace',
  scope: 'run',
  has: (_opened, run) => hasTraces(run),
  async get(_opened, given, query) {
    const run = asRun(given);
    const chosen = chosenTrace(run, query);
    const small = query.get('small') === '1';
    const whole = () => allocationMap(chosen.recording, chosen.trace, run.recording);
    if (query.get('part') === 'times') {
      const times = mapTimes(chosen.trace);
      return small ? reducedMap(whole(), times).times : times;
    }
    const { header, arrays } = small ? reducedMap(whole(), mapTimes(chosen.trace)).map : whole();
    const traces = runTraces(run).map(({ index, name }) => ({ index, name }));
    return new Columns({ ...header, traces, index: chosen.index }, arrays);
  },
  embed: () => ['small=1', 'part=times&small=1'],
  leftOut(_opened, run) {
    const { name, trace: one } = chosenTrace(asRun(run), new URLSearchParams());
    const others = runTraces(asRun(run)).length - 1;
    const left = Math.max(0, lifetimes(one).count - MOST_ROWS);
    const words = [
      ...(left > 0 ? [`the smallest ${left} allocations of ${name} one by one`] : []),
      ...(others > 0 ? [`the allocations of ${others} other devices or snapshots`] : []),
    ];
    return words.length > 0 ? words.join(', ') : null;
  },
};
