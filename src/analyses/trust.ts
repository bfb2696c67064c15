import { formatBytes, MiB } from '../base/bytes.ts';
import { count } from '../base/text.ts';
import { formatDuration } from '../base/time.ts';
import type { Recording } from '../model/recording.ts';
import { workloadProcesses } from '../model/workload-processes.ts';
import { type Stopped, stopped } from './stopped.ts';

/** What the recording cannot know. */
export interface Trust {
  readonly type: 'trust';
  /** false: something is missing: the recording stopped early, rows were lost, or its files are damaged. */
  readonly complete: boolean;
  /** How far it got and why it stopped; null: it was recorded to its end. */
  readonly stopped: Stopped | null;
  /** Rows that were let go because the disk was too slow for them. */
  readonly lostRows: number;
  /** Deadlines that passed without a sample. */
  readonly missed: { readonly samples: number; readonly share: number };
  /** Of all processors' time, what the hypervisor gave to other guests; null where that is not told. */
  readonly stolenShare: number | null;
  /** Older samples were folded to stay within a size: of each stretch this long extremes are kept. */
  readonly foldedSeconds: number | null;
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
/** With more of it taken away, it is not the machine's own work that makes it slow. */
const NOTABLE_STEAL = 0.05;

/** Reads every table it judges first, as damage shows only when a table is read. */
export function trust(recording: Recording): Trust {
  const { run } = recording;
  for (const name of recording.tables) recording.table(name);
  const { ticks, missed } = run.sampling;
  const [stop, lostRows] = [stopped(recording), run.lostRows ?? 0];
  const facts = {
    complete: stop === null && lostRows === 0 && recording.damage.length === 0,
    stopped: stop,
    lostRows,
    missed: { samples: missed, share: ticks + missed > 0 ? missed / (ticks + missed) : 0 },
    stolenShare: stolenShare(recording),
    foldedSeconds: run.foldedSeconds,
    pss: pssQuality(recording),
    unavailable: run.sources.flatMap((source) =>
      source.ok ? [] : [{ id: source.id, reason: source.reason, remedy: source.remedy ?? null }],
    ),
    damage: [...recording.damage],
  };
  const warnings = [
    ...cautions(facts),
    ...blindSpots(recording),
    ...(run.gpu?.notes ?? []),
    ...facts.damage,
  ];
  return { type: 'trust', ...facts, warnings: [...new Set([...warnings, ...run.warnings])] };
}

/** Said of a recording that stopped; one that is still being made has no end either. */
export const stopWarning = ({ seconds, why }: Stopped): string =>
  `the recording stops at ${formatDuration(seconds)}: ${why}; what came after is not known`;

type Facts = Omit<Trust, 'type' | 'warnings'>;

function cautions({ stopped, lostRows, missed, stolenShare, foldedSeconds }: Facts): string[] {
  const percent = (share: number) => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
  const found: string[] = [];
  if (stopped) found.push(stopWarning(stopped));
  if (lostRows > 0) {
    found.push(`${count(lostRows, 'row')} lost: the disk was too slow for them`);
  }
  if (missed.share > NEGLIGIBLE) {
    const stolen = (stolenShare ?? 0) > NOTABLE_STEAL;
    const why = stolen
      ? `its hypervisor gave ${percent(stolenShare!)} of the processors' time to others`
      : 'the machine was too busy';
    found.push(`${count(missed.samples, 'sample')} missed (${percent(missed.share)}): ${why}`);
  }
  if (foldedSeconds !== null) {
    found.push(
      `older samples were folded to stay within --max-disk: of each ${formatDuration(foldedSeconds)} the lowest, ` +
        'the highest and the last are kept; peaks are exact',
    );
  }
  return found;
}

/** From the first reading to the last; null where the kernel tells none, or one only. */
function stolenShare(recording: Recording): number | null {
  const host = recording.table('host');
  const [times, stolen] = [host.f64('time'), host.f64('stolen')];
  const read = [...stolen.keys()].filter((row) => !Number.isNaN(stolen[row]!));
  const [first, last] = [read[0], read.at(-1)];
  if (first === undefined || last === undefined || first === last) return null;
  const all = (times[last]! - times[first]!) * Math.max(1, recording.run.host.cpus);
  return Math.min(1, Math.max(0, (stolen[last]! - stolen[first]!) / all));
}

function pssQuality(recording: Recording): Trust['pss'] {
  const process = workloadProcesses(recording);
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

/** Peaks that the samples missed, each named only when it would change the headline. */
function blindSpots(recording: Recording): string[] {
  const process = workloadProcesses(recording);
  const [times, pids] = [process.f64('time'), process.u32('pid')];
  const [hwm, rss, pss] = [process.f64('hwm'), process.f64('rss'), process.f64('pss')];
  let highest = -1;
  const peak = { rss: 0, pss: 0, pssAtMost: 0 };
  for (let row = 0; row < process.rows; ) {
    const time = times[row]!;
    const sum = { rss: 0, pss: 0, pssAtMost: 0 };
    for (; row < process.rows && times[row] === time; row++) {
      sum.rss += rss[row] || 0;
      sum.pss += pss[row] || 0;
      // A process whose PSS is not known yet shares nothing in the worst case.
      sum.pssAtMost += (Number.isNaN(pss[row]!) ? rss[row] : pss[row]) || 0;
      if (!Number.isNaN(hwm[row]!) && (highest < 0 || hwm[row]! > hwm[highest]!)) highest = row;
    }
    peak.rss = Math.max(peak.rss, sum.rss);
    peak.pss = Math.max(peak.pss, sum.pss);
    peak.pssAtMost = Math.max(peak.pssAtMost, sum.pssAtMost);
  }
  const more = (value: number, than: number) => value > than * 1.02 + MiB;
  const found: string[] = [];
  if (highest >= 0 && more(hwm[highest]!, peak.rss)) {
    found.push(
      `process ${pids[highest]} alone reached ${formatBytes(hwm[highest]!)} between two samples (the kernel's own ` +
        `high-water mark); all processes together held ${formatBytes(peak.rss)} at most at any sample`,
    );
  }
  if (peak.pss > 0 && more(peak.pssAtMost, peak.pss)) {
    found.push(
      `proportional memory (PSS) was not known for every process: its peak of ${formatBytes(peak.pss)} ` +
        `may be up to ${formatBytes(peak.pssAtMost)}`,
    );
  }
  return found;
}
