import { SECOND_NS } from '../../../base/time.ts';
import { origin } from '../../../model/origin.ts';
import type { Recording } from '../../../model/recording.ts';
import { type Running, runningAt } from '../../running.ts';
import type { Processes } from '../index.ts';
import { agentWord } from './agent-word.ts';
import { type Beyond, beyond } from './beyond.ts';
import { type HeldLook, heldLooks } from './held.ts';
import { type Mapped, mappedOf } from './mapped.ts';
import type { HostPart } from './part.ts';
import { partsOf } from './parts.ts';
import { steadiness } from './steady.ts';

/** What one process was made of when it was highest, as far as it was read: parts that add up to `atBytes`. */
export interface HostHolder {
  readonly pid: number;
  readonly role: string;
  /** Resident, at a sample. */
  readonly peakBytes: number;
  /** At the moment of the parts: the highest at which it was read. */
  readonly atBytes: number;
  readonly atSeconds: number;
  /** Of its peak, what had come since the parts were read. */
  readonly beyond: Beyond | null;
  /** What it was doing then, where it told. */
  readonly running: Running | null;
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
/** Moments so near to the highest are as good. */
const ALIKE = 0.97;

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
    const mark =
      pid === undefined ? null : toldBest(marks.get(pid) ?? [], heldLooks(recording, pid));
    if (!mark || peakRss === null) return [];
    return [
      {
        pid: pid!,
        role: role || name,
        peakBytes: peakRss,
        atBytes: mark.rss,
        atSeconds: (mark.ns - zero) / SECOND_NS,
        beyond: beyond(recording, pid!, mark.ns),
        running: runningAt(recording, pid!, 'host', mark.ns),
        parts: partsOf(mark, agentWord(recording, pid!, mark.ns, steadiness(recording, pid!))),
      },
    ];
  });
  return { type: 'host-peak', holders: holders.slice(0, MOST_HOLDERS) };
}

/** Of the highest moments that were read, all but alike, the one at which the process itself said most. */
function toldBest(marks: readonly Mapped[], looks: readonly HeldLook[]): Mapped | null {
  const most = Math.max(...marks.map(({ rss }) => rss));
  const off = ({ ns }: Mapped) => Math.min(...looks.map((look) => Math.abs(look.ns - ns)));
  const moments = marks.filter(({ rss }) => rss >= most * ALIKE);
  const [best] = looks.length === 0 ? [] : [...moments].sort((a, b) => off(a) - off(b));
  return best ?? marks.find(({ rss }) => rss === most) ?? null;
}
