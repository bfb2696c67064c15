import { SECOND_NS } from '../../base/time.ts';
import type { ClockOrigin } from '../threads/messages.ts';

/**
 * Times of agents as nanoseconds since the recording's start. Processes overtake each other on the way
 * here; a table's times do not go back, nor ahead of now.
 */
export function agentClock(origin: ClockOrigin): (agentTime: number) => number {
  let last = 0;
  const [seconds, ns] = origin;
  return (agentTime) => {
    const [sinceSeconds, sinceNs] = process.hrtime([seconds, ns]);
    const now = sinceSeconds * SECOND_NS + sinceNs;
    last = Math.min(Math.max(agentTime - (seconds * SECOND_NS + ns), last), now);
    return last;
  };
}
