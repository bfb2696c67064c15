import type { Recording } from '../../model/recording.ts';
import { loggedRequests as loggedBy } from '../../model/served-count.ts';

/** Requests that the log names. */
export interface LoggedRequests {
  readonly count: number;
  readonly fromNs: number;
  readonly toNs: number;
}

/** null: the log names none. */
export function loggedRequests(recording: Recording): LoggedRequests | null {
  const logged = loggedBy(recording);
  if (!logged) return null;
  const { times, counts } = logged;
  return { count: counts.at(-1)!, fromNs: Math.min(...times), toNs: Math.max(...times) };
}
