import type { Recording } from '../../model/recording.ts';

/** Requests that the log names. */
export interface LoggedRequests {
  readonly count: number;
  readonly fromNs: number;
  readonly toNs: number;
}

/** By the form of line that there are most of: a server may print several for each request. null: the log names none. */
export function loggedRequests(recording: Recording): LoggedRequests | null {
  const marks = recording.table('marks');
  const [times, kinds] = [marks.f64('time'), marks.u32('kind')];
  const [names, numbers] = [marks.u32('name'), marks.f64('iteration')];
  const forms = new Map<number, LoggedRequests>();
  for (const [row, kind] of kinds.entries()) {
    if (recording.text(kind) !== 'request') continue;
    const [form, time] = [names[row]!, times[row]!];
    const known = forms.get(form) ?? { count: 0, fromNs: time, toNs: time };
    forms.set(form, {
      count: Math.max(known.count, numbers[row]!),
      fromNs: Math.min(known.fromNs, time),
      toNs: Math.max(known.toNs, time),
    });
  }
  return [...forms.values()].reduce<LoggedRequests | null>(
    (most, one) => (most && most.count >= one.count ? most : one),
    null,
  );
}
