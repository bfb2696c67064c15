import { counterSeriesNames } from '../../model/counter-series.ts';
import type { Recording } from '../../model/recording.ts';
import { type Series, series } from '../../model/series.ts';
import { counterSum } from './kind/readings.ts';
import { netOfRecorder } from './net.ts';
import { type RoleSeries, roleSeries } from './roles.ts';

/** A series to judge: the tree's, the machine's, or that of all processes of one kind. */
export interface Subject {
  readonly series: Series;
  /** `device`: what torch's allocator handed out or holds on a device; `shm`: /dev/shm in use. */
  readonly measure: 'PSS' | 'RSS' | 'held' | 'device' | 'shm';
  /** `data loader`, `worker`, `main`; null for the whole tree or machine. */
  readonly role: string | null;
  /** How many such processes there were at a time, as a rule. */
  readonly members: number | null;
}

export function subjects(recording: Recording): Subject[] {
  const found: Subject[] = [];
  const add = (measure: Subject['measure'], s: Series | null) => {
    if (s) found.push({ series: s, measure, role: null, members: null });
  };
  add('PSS', series(recording, 'tree.pss'));
  add('RSS', series(recording, 'tree.rss'));
  add('held', netOfRecorder(recording, 'host.held') ?? netOfRecorder(recording, 'host.used'));
  for (const name of counterSeriesNames(recording)) {
    if (/^torch\d+\.(allocated|reserved)$/.test(name)) add('device', series(recording, name));
  }
  const shm = counterSum(recording, 'shm.used', null);
  add('shm', shm.values.length > 0 ? shm : null);
  return [...found, ...roleSeries(recording).flatMap(ofRole)];
}

function ofRole({ kind, members, pss, rss }: RoleSeries): Subject[] {
  const both = [
    { measure: 'PSS', series: pss },
    { measure: 'RSS', series: rss },
  ] as const;
  return both
    .filter(({ series: { values } }) => values.length > 0)
    .map((subject) => ({ ...subject, role: kind, members }));
}
