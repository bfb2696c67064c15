import { formatBytes, MiB } from '../../base/bytes.ts';
import { count } from '../../base/text.ts';
import { formatDuration, SECOND_NS } from '../../base/time.ts';
import type { GpuCard, GpuMeasuring } from '../../model/run.ts';
import type { CardAccounting, CardPeak } from './accounting.ts';
import type { UseEvidence } from './cards-in-use.ts';
import type { StrayContext } from './stray-contexts.ts';

/** What holds for all cards of a recording. */
export interface Caveats {
  readonly guessed: boolean;
  readonly processIds: GpuMeasuring['processIds'] | null;
  readonly nobodyListed: boolean;
}

export interface CardFindings {
  readonly evidence: UseEvidence | null;
  /** Of a slice: the card that it is cut from. */
  readonly sliceOf: { readonly gpu: number; readonly memoryBytes: number | null } | null;
  readonly peak: CardPeak | null;
  /** In use before the start. */
  readonly baseline: number | null;
  readonly accounting: CardAccounting | null;
  readonly strays: readonly StrayContext[];
  /** The most that torch handed out in one process, where the headline is another figure. */
  readonly torchPeak: { readonly bytes: number; readonly seconds: number } | null;
  /** What was live at the headline; null where that is not known. */
  readonly liveBytes: number | null;
}

/** A rest below this share and size is rounding and the driver's small change. */
const SHARE = 0.05;
const SMALL = 64 * MiB;

/** What a reader has to know about the figures of one card, as sentences. */
export function notesOn(card: GpuCard, findings: CardFindings, caveats: Caveats): string[] {
  const { evidence, peak, baseline, accounting, strays } = findings;
  const notes: string[] = [];
  if (card.reason !== undefined) notes.push(`not measured: ${card.reason}`);
  if (findings.sliceOf) {
    const { gpu, memoryBytes } = findings.sliceOf;
    const whole = memoryBytes === null ? '' : `, which has ${formatBytes(memoryBytes)} in all`;
    notes.push(`a slice (MIG) of GPU ${gpu}${whole}`);
  }
  if (evidence === 'growth') notes.push(whyGrowth(caveats));
  if (peak && accounting) notes.push(...caveatsOn(peak, baseline, accounting));
  const { torchPeak, liveBytes } = findings;
  if (torchPeak && liveBytes !== null && torchPeak.bytes > liveBytes + SMALL) {
    notes.push(
      `torch handed out up to ${formatBytes(torchPeak.bytes)} at a moment shortly before ${formatDuration(torchPeak.seconds)}, by its own peak counter; ` +
        `${formatBytes(liveBytes)} were live when it was read at the peak`,
    );
  }
  if (strays.length > 0) notes.push(strayNote(card.index, strays));
  return notes;
}

function whyGrowth({ processIds, nobodyListed }: Caveats): string {
  const so = 'that this workload uses the card is judged by the growth of its memory';
  if (processIds === 'foreign') {
    return (
      'the driver shows process ids of the host; per-process GPU figures cannot be matched from ' +
      `inside this container; ${so}`
    );
  }
  const why =
    processIds === 'none'
      ? 'the driver tells no processes here'
      : nobodyListed
        ? 'the driver lists no process here, as is usual inside a container'
        : 'the driver lists none of this workload’s processes';
  return `${why}; ${so}`;
}

function caveatsOn(peak: CardPeak, baseline: number | null, accounting: CardAccounting): string[] {
  const notes: string[] = [];
  // Lists are read less often than memory, and a short peak falls between two of them.
  if (Math.abs(accounting.listedUsed - peak.used) > SMALL) {
    const apart = accounting.listedNs - peak.ns;
    const when = `${formatDuration(Math.abs(apart) / SECOND_NS)} ${apart < 0 ? 'before' : 'after'}`;
    notes.push(
      `the processes were listed ${when} the peak, when the card held ${formatBytes(accounting.listedUsed)}: their figures are of that moment`,
    );
  }
  const untold = accounting.processes.filter(({ bytes }) => bytes === null);
  if (untold.length > 0) {
    const pids = untold.map(({ pid }) => pid).join(', ');
    notes.push(
      `the driver does not tell how much ${count(untold.length, 'process', 'processes')} (pid ${pids}) held`,
    );
  }
  const rest = accounting.unexplainedBytes;
  if (rest < -SMALL) {
    notes.push(
      `the processes' figures add up to ${formatBytes(-rest)} more than the card held: memory that they share is counted for each`,
    );
  } else if (untold.length === 0 && rest > SMALL && rest > SHARE * peak.used) {
    const before =
      baseline !== null && baseline > SMALL
        ? ` (${formatBytes(baseline)} were in use before the start)`
        : '';
    notes.push(
      `${formatBytes(rest)} belonged to no process that the driver lists: those of other containers, or the driver's own${before}`,
    );
  }
  return notes;
}

function strayNote(gpu: number, strays: readonly StrayContext[]): string {
  const names = strays.slice(0, 4).map(({ pid, role, rank, bytes, ownGpu }) => {
    const who = [role || 'a process', rank === null ? '' : `rank ${rank}`, `pid ${pid}`];
    return `${who.filter(Boolean).join(', ')} (${formatBytes(bytes)}, its own is GPU ${ownGpu})`;
  });
  const more = strays.length > names.length ? ` and ${strays.length - names.length} more` : '';
  const sum = strays.reduce((all, { bytes }) => all + bytes, 0);
  return (
    `${count(strays.length, 'process keeps', 'processes keep')} ${formatBytes(sum)} on GPU ${gpu}, which is not ` +
    `${strays.length === 1 ? 'its' : 'their'} own: ${names.join('; ')}${more}. Call torch.cuda.set_device(local_rank) ` +
    'before anything else touches CUDA, or give each process its own card with CUDA_VISIBLE_DEVICES'
  );
}
