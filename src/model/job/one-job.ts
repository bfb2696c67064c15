import { count } from '../../base/text.ts';
import { ranksOf } from '../ranks.ts';
import type { NamedRecording, Recording } from '../recording.ts';

/** One recording of a job, of one rank or of one node with several. */
export interface JobPart {
  /** For messages: its file. */
  readonly name: string;
  readonly recording: Recording;
  /** The ranks in it, ascending. */
  readonly ranks: readonly number[];
}

export type JobMatch =
  | { readonly ok: true; readonly parts: readonly JobPart[]; readonly warnings: readonly string[] }
  /** Why they are not. */
  | { readonly ok: false; readonly reason: string };

/**
 * Whether recordings are ranks of one job: each has ranks, no two the same one, and they carry the same
 * id of a launcher or, where that is not known, the same command and the same number of ranks.
 */
export function matchJob(recordings: readonly NamedRecording[]): JobMatch {
  const labelled = (label: string) =>
    new Set(recordings.map((one) => one.recording.run.labels[label]));
  const [jobs, sizes] = [labelled('job'), labelled('worldSize')];
  if (jobs.size > 1) return { ok: false, reason: 'they carry different job ids' };
  if (sizes.size > 1) return { ok: false, reason: 'their jobs have different numbers of ranks' };
  const commands = new Set(recordings.map(({ recording: { run } }) => run.argv.join('\0')));
  if (jobs.has(undefined) && commands.size > 1) {
    return { ok: false, reason: 'no job id is known, and their commands differ' };
  }
  const all = recordings.map((one) => ({ ...one, ranks: ranksIn(one.recording) }));
  const without = all.find(({ ranks }) => ranks.length === 0);
  if (without) return { ok: false, reason: `${without.name} has no rank` };
  const { kept, warnings } = withoutEarlierAttempts(all);
  const owners = new Map<number, string>();
  for (const { name, ranks } of kept) {
    for (const rank of ranks) {
      const other = owners.get(rank);
      if (other) return { ok: false, reason: `${other} and ${name} are both rank ${rank}` };
      owners.set(rank, name);
    }
  }
  const parts = [...kept].sort((a, b) => a.ranks[0]! - b.ranks[0]!);
  return { ok: true, parts, warnings: [...warnings, ...missing(owners, [...sizes][0])] };
}

/** Those of its processes; where none has one, that in the recorder's own environment. */
function ranksIn(recording: Recording): number[] {
  const found = new Set(ranksOf(recording).values());
  const own = recording.run.labels.rank;
  if (found.size === 0 && own !== undefined) found.add(Number(own));
  return [...found].sort((a, b) => a - b);
}

/** An elastic job that restarted has its ranks several times: the last attempt is the job. */
function withoutEarlierAttempts(parts: readonly JobPart[]) {
  const attemptOf = ({ recording }: JobPart) => Number(recording.run.labels.restart ?? 0);
  const last = Math.max(...parts.map(attemptOf));
  const kept = parts.filter((part) => attemptOf(part) === last);
  const left = parts.length - kept.length;
  const warnings = left
    ? [
        `the job began anew ${count(last, 'time')}: ${count(left, 'recording')} before that left out`,
      ]
    : [];
  return { kept, warnings };
}

function missing(owners: ReadonlyMap<number, string>, size: string | undefined): string[] {
  const world = Number(size ?? 0);
  const absent = Array.from({ length: world }, (_, rank) => rank).filter((r) => !owners.has(r));
  if (absent.length === 0) return [];
  const shown = absent.slice(0, 8).join(', ');
  const more = absent.length > 8 ? ' …' : '';
  return [`${owners.size} of ${world} ranks are here: no recording of rank ${shown}${more}`];
}
