import { SECOND_NS } from '../base/time.ts';
import { origin } from '../model/origin.ts';
import type { Recording } from '../model/recording.ts';
import { isHearsay } from './hearsay.ts';

/** How the run ended, as facts; views make the sentence. */
export interface Ending {
  readonly type: 'ending';
  /**
   * `well`: code 0; `failed`: another code; `killed`: by a signal; `ended`: by Highwater itself (a
   * limit, `--duration`); `cut-off`: the recording stops without an end; `watched`: a bare host or
   * an attached process that outlived the recording; `imported`: a file that does not tell.
   */
  readonly how: 'well' | 'failed' | 'killed' | 'ended' | 'cut-off' | 'watched' | 'imported';
  readonly code: number | null;
  readonly signal: string | null;
  /** null: cannot be known on this machine, or nothing ended. */
  readonly oomKilled: boolean | null;
  readonly oomEvidence: string;
  readonly endedBy: string | null;
  /** Out-of-memory messages that the workload printed: what, and what it means, line by line. */
  readonly oomMessages: readonly OomMessage[];
  /** Lines of its output that tell of a kill by the kernel, which the kernel's own count excludes. */
  readonly hearsay: readonly OomMessage[];
  /** The last lines that it printed, where it failed; else none. */
  readonly lastOutput: readonly string[];
}

interface OomMessage {
  readonly seconds: number;
  readonly lines: readonly string[];
}

export function ending(recording: Recording): Ending {
  const { exit, outOfMemory = [] } = recording.run;
  const denied = new Set(
    outOfMemory.filter((said) => isHearsay(said, recording.run)).map(({ ns }) => ns),
  );
  const messages = oomMessages(recording);
  const plain = (kept: typeof messages) => kept.map(({ ns: _, ...message }) => message);
  return {
    type: 'ending',
    how: how(recording),
    code: exit?.code ?? null,
    signal: exit?.signal ?? null,
    oomKilled: exit?.oomKilled ?? null,
    oomEvidence: exit?.oomEvidence ?? '',
    endedBy: exit?.endedBy ?? null,
    oomMessages: plain(messages.filter(({ ns }) => !denied.has(ns))),
    hearsay: plain(messages.filter(({ ns }) => denied.has(ns))),
    lastOutput: recording.run.lastOutput ?? [],
  };
}

function oomMessages(recording: Recording): (OomMessage & { readonly ns: number })[] {
  const marks = recording.table('marks');
  const [times, kinds, names] = [marks.f64('time'), marks.u32('kind'), marks.u32('name')];
  const zero = origin(recording).ns;
  const rows = [...kinds.keys()].filter((row) => recording.text(kinds[row]!) === 'oom');
  return rows.map((row) => ({
    ns: times[row]!,
    seconds: (times[row]! - zero) / SECOND_NS,
    lines: recording.text(names[row]!).split('\n'),
  }));
}

function how({ run }: Recording): Ending['how'] {
  const { exit, subject, endedAt } = run;
  // Who ended it matters more than the signal that did the work.
  if (exit?.endedBy) return 'ended';
  if (exit?.signal) return 'killed';
  if (exit && exit.code !== null) return exit.code === 0 ? 'well' : 'failed';
  if (subject === 'import') return 'imported';
  return endedAt === null ? 'cut-off' : 'watched';
}
