import type { Recording } from '../../model/recording.ts';
import { type Series, series } from '../../model/series.ts';
import { netOfRecorder } from './net.ts';
import { type RoleSeries, roleSeries } from './roles.ts';

/** A series to judge: the tree's, the machine's, or that of all processes of one kind. */
export interface Subject {
  readonly series: Series;
  readonly measure: 'PSS' | 'RSS' | 'held';
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
