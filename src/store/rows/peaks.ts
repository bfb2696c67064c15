import { SECOND_NS } from '../../base/time.ts';
import { jobNameOf } from '../../model/job/job-name.ts';
import { origin } from '../../model/origin.ts';
import type { StoreRow } from '../batch.ts';
import { type StoredRun, timeOf } from '../stored-run.ts';

/** A moment in a report's seconds, which count from the workload's start. */
export function momentIn(run: StoredRun): (seconds: number | null | undefined) => number | null {
  const zero = origin(run.recording).ns;
  return (seconds) =>
    seconds === null || seconds === undefined || Number.isNaN(seconds)
      ? null
      : timeOf(run, zero + seconds * SECOND_NS);
}

export function* peakRows(run: StoredRun): Generator<StoreRow> {
  const at = momentIn(run);
  for (const { series: name, bytes, seconds } of run.report.peaks) {
    const ends = run.ends.get(name);
    yield {
      series: name,
      peak_bytes: bytes,
      peak_time: at(seconds),
      first_bytes: ends?.first,
      last_bytes: ends?.last,
      samples: ends?.samples,
    };
  }
}

export function* cardRows(run: StoredRun): Generator<StoreRow> {
  const at = momentIn(run);
  for (const { gpu, uuid, name, memoryBytes, usedByTree, peak } of run.report.gpus) {
    const own = run.report.peaks.find((one) => one.series === `gpu${gpu}.tree`);
    yield {
      gpu,
      uuid,
      name,
      memory_bytes: memoryBytes,
      used_by_run: usedByTree,
      peak_bytes: peak?.bytes,
      peak_time: at(peak?.seconds),
      run_peak_bytes: own?.bytes,
    };
  }
}

/** Those that a report holds against each other; of one rank alone, the run's own figures. */
export function* rankRows(run: StoredRun): Generator<StoreRow> {
  const { labels, host, asked } = run.recording.run;
  const at = momentIn(run);
  const whose = { job: jobNameOf(run.recording.run) ?? asked?.job, host: host.name };
  const { ranks, peaks, headline } = run.report;
  for (const { rank, peakBytes, peakSeconds, torchBytes } of ranks.ranks) {
    const torch = { torch_bytes: torchBytes };
    yield { rank, ...whose, peak_bytes: peakBytes, peak_time: at(peakSeconds), ...torch };
  }
  if (ranks.ranks.length > 0 || !isRank(labels.rank)) return;
  // Its own count of the most: the rest is read between iterations.
  const torch = peaks.filter(({ series: name }) => /^torch\d+\.(allocated|peak)$/.test(name));
  yield {
    rank: Number(labels.rank),
    ...whose,
    peak_bytes: headline?.bytes,
    // An allocator's trace has a clock of its own.
    peak_time: headline?.measure === 'allocator' ? null : at(headline?.seconds),
    torch_bytes: torch.length > 0 ? Math.max(...torch.map(({ bytes }) => bytes)) : null,
  };
}

const isRank = (label: string | undefined): label is string => /^\d{1,9}$/.test(label ?? '');
