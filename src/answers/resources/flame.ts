import { flame as flameOf } from '../../analyses/allocations/flame/index.ts';
import { profileSites } from '../../analyses/allocations/flame/profile-sites.ts';
import { callSites, type FlameRows } from '../../analyses/allocations/flame/sites.ts';
import { UserError } from '../../base/errors.ts';
import { summary } from '../../model/allocations/curve.ts';
import { hasLiveStacks, liveStacks, profileMoment } from '../../model/allocations/live-stacks.ts';
import type { OpenInputs, OpenRun } from '../opened.ts';
import { asRun, type Resource } from './resource.ts';
import { chosenTrace, eventIn, hasTraces, type RunTrace, runTraces } from './run-traces.ts';

/**
 * Bytes by call stack: what is live at `at=` (the peak by default), or made in `from=` … `to=`.
 * `against=` (an event) or `other=` (a run, at its peak) is what it is compared with;
 * `by=category` puts what an allocation is first, `native=1` takes C++ frames in. A heap profile has one moment, and can be compared
 * with another one.
 */
export const flame: Resource = {
  name: 'flame',
  scope: 'run',
  has: (_opened, run) => hasTraces(run) || isProfile(run),
  async get(opened, given, query) {
    const run = asRun(given);
    if (isProfile(run)) return ofProfile(opened, run, query.get('other'));
    const chosen = chosenTrace(run, query);
    const peak = summary(chosen.trace).peakEvent;
    const event = (name: string) => eventIn(chosen, query, name, peak);
    const options = {
      byCategory: query.get('by') === 'category',
      native: query.get('native') === '1',
    };
    const sites = ({ recording, trace }: RunTrace, rows: FlameRows) =>
      callSites(recording, trace, rows, options);
    const [from, to, at, against] = [event('from'), event('to'), event('at'), event('against')];
    const ranged = from !== null || to !== null;
    const rows: FlameRows = ranged
      ? { from: from ?? 0, to: (to ?? chosen.trace.events - 1) + 1 }
      : { at: at ?? peak };
    const other = query.get('other');
    const before =
      other !== null
        ? sites(...sameIn(opened, other, chosen, ranged))
        : against !== null && !ranged
          ? sites(chosen, { at: against })
          : null;
    return {
      ...flameOf(sites(chosen, rows), before),
      peakEvent: peak,
      events: chosen.trace.events,
      index: chosen.index,
      traces: runTraces(run).map(({ index, name }) => ({ index, name })),
    };
  },
  embed: (_opened, run) => (isProfile(run) ? [''] : ['', 'native=1']),
  leftOut: (_opened, run) =>
    isProfile(run) ? null : 'flame graphs of other moments than the peak',
};

/** A heap profile alone: where there is a trace as well, that is what moments are chosen of. */
const isProfile = (run: OpenRun | undefined): run is OpenRun =>
  run !== undefined && !hasTraces(run) && hasLiveStacks(run.recording);

function ofProfile(opened: OpenInputs, run: OpenRun, other: string | null) {
  const before = other === null ? null : opened.runs.find((one) => one.id === other);
  if (before !== null && !isProfile(before)) {
    throw new UserError(`run ${other} has no heap profile to compare with`);
  }
  return {
    ...flameOf(profileSites(run.recording), before && profileSites(before.recording)),
    profile: profileMoment(liveStacks(run.recording)),
    peakEvent: 0,
    events: 0,
    index: 0,
    traces: [],
  };
}

/** The trace of the same device in another run, and the rows that answer the same question there. */
function sameIn(
  opened: OpenInputs,
  id: string,
  chosen: RunTrace,
  ranged: boolean,
): [RunTrace, FlameRows] {
  const run = opened.runs.find((one) => one.id === id);
  const all = run ? runTraces(run) : [];
  const found = all.find(({ trace }) => trace.device === chosen.trace.device) ?? all[0];
  if (!found) throw new UserError(`run ${id} has no allocation trace to compare with`);
  const { events } = found.trace;
  return [found, ranged ? { from: 0, to: events } : { at: summary(found.trace).peakEvent }];
}
