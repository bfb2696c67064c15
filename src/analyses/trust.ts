import { formatBytes, MiB } from '../base/bytes.ts';
import { count } from '../base/text.ts';
import type { Recording } from '../model/recording.ts';

/** What the recording cannot know. */
export interface Trust {
  readonly type: 'trust';
  /** false: the recorder was killed or the machine went down before it could finish. */
  readonly complete: boolean;
  /** Deadlines that passed without a sample. */
  readonly missed: { readonly samples: number; readonly share: number };
  /** Samples that were taken and samples that are still there, if a size limit folded some away. */
  readonly folded: { readonly taken: number; readonly kept: number } | null;
  /** Shares of all rows whose PSS is estimated, or was never known; null without processes. */
  readonly pss: { readonly estimatedShare: number; readonly missingShare: number } | null;
  readonly unavailable: readonly { id: string; reason: string; remedy: string | null }[];
  /** What a cut or damaged file lost. */
  readonly damage: readonly string[];
  /** All of the above that limits what the figures mean, and the recorder's own, as sentences. */
  readonly warnings: readonly string[];
}

/** Below this share lost samples and estimates do not change what a chart or a peak says. */
const NEGLIGIBLE = 0.01;

/** Reads every table it judges first, as damage shows only when a table is read. */
export function trust(recording: Recording): Trust {
  const { run } = recording;
  for (const name of recording.tables) recording.table(name);
  const { ticks, missed } = run.sampling;
  const facts = {
    complete: run.endedAt !== null || run.subject === 'import',
    missed: { samples: missed, share: ticks + missed > 0 ? missed / (ticks + missed) : 0 },
    folded: folded(recording),
    pss: pssQuality(recording),
    unavailable: run.sources.flatMap((source) =>
      source.ok
        ? []
        : [{ id: source.id, reason: source.reason, remedy: source.remedy ?? null }],
    ),
    damage: [...recording.damage],
  };
  const between = peakBetweenSamples(recording);
  const warnings = [...cautions(facts), ...(between ? [between] : []), ...facts.damage];
  return { type: 'trust', ...facts, warnings: [...new Set([...warnings, ...run.warnings])] };
}

function cautions({ complete, missed, folded, pss }: Omit<Trust, 'type' | 'warnings'>): string[] {
  const percent = (share: number) => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
  const found: string[] = [];
  if (!complete) {
    found.push('the recording was cut off: the recorder was killed or the machine went down');
  }
  if (missed.share > NEGLIGIBLE) {
    found.push(`${count(missed.samples, 'sample')} missed (${percent(missed.share)}): the machine was too busy`);
  }
  if (folded) {
    found.push(
      `older samples were folded to stay within the size limit: ${folded.kept} of ${folded.taken} kept, peaks are exact`,
    );
  }
  if (pss && pss.missingShare > NEGLIGIBLE) {
    found.push(`proportional memory (PSS) is missing in ${percent(pss.missingShare)} of the readings: its peak may be too low`);
  }
  if (pss && pss.estimatedShare > 0.5) {
    found.push(`proportional memory (PSS) is estimated in ${percent(pss.estimatedShare)} of the readings`);
  }
  return found;
}

/** The recorder counts its ticks; a host table with far fewer rows has been folded. */
function folded(recording: Recording): Trust['folded'] {
  const { ticks } = recording.run.sampling;
  const kept = recording.table('host').rows;
  return kept > 0 && kept < ticks * 0.9 && recording.damage.length === 0
    ? { taken: ticks, kept }
    : null;
}

function pssQuality(recording: Recording): Trust['pss'] {
  const process = recording.table('process');
  if (process.rows === 0) return null;
  const pss = process.f64('pss');
  const estimated = process.u8('pss_estimated');
  let missing = 0;
  let guessed = 0;
  for (let row = 0; row < process.rows; row++) {
    if (Number.isNaN(pss[row]!)) missing++;
    else if (estimated[row]! > 0) guessed++;
  }
  return { estimatedShare: guessed / process.rows, missingShare: missing / process.rows };
}

/** One process alone reached more than the whole tree did at any sample: a spike fell between two. */
function peakBetweenSamples(recording: Recording): string | null {
  const process = recording.table('process');
  const hwm = process.f64('hwm');
  const rss = process.f64('rss');
  const times = process.f64('time');
  let highest = -1;
  let peak = 0;
  for (let row = 0; row < process.rows; ) {
    const time = times[row]!;
    let sum = 0;
    for (; row < process.rows && times[row] === time; row++) {
      if (!Number.isNaN(rss[row]!)) sum += rss[row]!;
      if (!Number.isNaN(hwm[row]!) && (highest < 0 || hwm[row]! > hwm[highest]!)) highest = row;
    }
    if (sum > peak) peak = sum;
  }
  if (highest < 0 || hwm[highest]! <= peak * 1.01 + MiB) return null;
  const pid = process.u32('pid')[highest]!;
  return (
    `process ${pid} reached ${formatBytes(hwm[highest]!)} between two samples (the kernel's own high-water mark), ` +
    `more than the ${formatBytes(peak)} that all processes held at any sample`
  );
}
