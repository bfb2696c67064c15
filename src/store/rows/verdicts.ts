import { verdictSentence } from '../../model/verdict.ts';
import type { StoreRow } from '../batch.ts';
import type { StoredRun } from '../stored-run.ts';

export function verdictRow({ report }: StoredRun): StoreRow {
  const { verdict, leak, outOfMemory, ending, devices } = report;
  const [said] = outOfMemory;
  const failed = devices.find(({ oom }) => oom !== null);
  // What was left behind may have come at once: a rate is told only of what was shown to grow.
  const trend = leak.verdict === 'leak' && leak.trend?.verdict === 'leak' ? leak.trend : null;
  const perStep = devices.find((device) => device.leak.verdict === 'leak')?.leak.requestedPerStep;
  return {
    cause: verdict.cause.code,
    certainty: verdict.certainty,
    sentence: verdictSentence(verdict),
    leak: leak.verdict,
    leak_kind: leak.kind,
    leak_series: leak.culprit?.series,
    leak_name: leak.culprit?.name,
    leak_where: leak.culprit?.where,
    leak_bytes_per_hour: trend?.perHourBytes,
    leak_bytes_per_iteration: trend?.over === 'iterations' ? trend.slope.bytes : perStep,
    at_most_bytes_per_hour: leak.bound?.bytesPerHour,
    at_most_bytes_per_iteration: leak.bound?.bytesPerIteration,
    full_in_seconds: trend?.exhaustionSeconds,
    out_of_memory: outOfMemory.length > 0 || failed !== undefined || ending.oomKilled,
    oom_place: said?.place ?? (failed ? 'gpu' : ending.oomKilled ? 'host' : ''),
    oom_asked_bytes: said?.asked ?? failed?.oom?.requestedBytes,
    oom_free_bytes: said?.free ?? failed?.oom?.deviceFreeBytes,
  };
}
