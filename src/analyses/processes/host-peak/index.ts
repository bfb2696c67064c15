import { SECOND_NS } from '../../../base/time.ts';
import { origin } from '../../../model/origin.ts';
import type { Recording } from '../../../model/recording.ts';
import type { Processes } from '../index.ts';
import { agentWord } from './agent-word.ts';
import { type Mapped, mappedOf } from './mapped.ts';
import { type HostPart, partsOf } from './parts.ts';

/** What one process was made of when it was highest, as far as it was read: parts that add up to `atBytes`. */
export interface HostHolder {
  readonly pid: number;
  readonly role: string;
  /** Resident, at a sample. */
  readonly peakBytes: number;
  /** At the moment of the parts: the highest at which it was read. */
  readonly atBytes: number;
  readonly atSeconds: number;
  readonly parts: readonly HostPart[];
}

/** What the host's memory was made of at the workload's peak, process by process, the largest first. */
export interface HostPeak {
  readonly type: 'host-peak';
  readonly holders: readonly HostHolder[];
}

/** Who held less than this share of the tree's peak is not looked into, nor are more than so many. */
const WORTH_SHARE = 0.1;
const MOST_HOLDERS = 3;

export function hostPeak(recording: Recording, { processes }: Processes): HostPeak {
  const marks = mappedOf(recording);
  if (marks.size === 0) return { type: 'host-peak', holders: [] };
  const zero = origin(recording).ns;
  const atPeak = (one: Processes['processes'][number]) => one.pssAtPeak ?? one.rssAtPeak ?? 0;
  const all = processes.reduce((sum, one) => sum + atPeak(one), 0);
  const ranked = [...processes]
    .filter((one) => atPeak(one) >= all * WORTH_SHARE)
    .sort((a, b) => atPeak(b) - atPeak(a));
  const holders = ranked.flatMap(({ pids, role, name, peakRss }): HostHolder[] => {
    const [pid] = pids;
    const mark = pid === undefined ? null : highest(marks.get(pid) ?? []);
    if (!mark || peakRss === null) return [];
    return [
      {
        pid: pid!,
        role: role || name,
        peakBytes: peakRss,
        atBytes: mark.rss,
        atSeconds: (mark.ns - zero) / SECOND_NS,
        parts: partsOf(mark, agentWord(recording, pid!, mark.ns)),
      },
    ];
  });
  return { type: 'host-peak', holders: holders.slice(0, MOST_HOLDERS) };
}

const highest = (marks: readonly Mapped[]): Mapped | null =>
  marks.reduce<Mapped | null>((best, one) => (best && best.rss >= one.rss ? best : one), null);
