import { formatBytes } from '../../base/bytes.ts';
import type { ReportFacts } from '../report-facts.ts';
import type { VerdictBuilder } from './builder.ts';

/** A request that would go beyond a limit is refused: the peak stays below it by less than what was asked for. */
const REACHED_SHARE = 0.98;

/** The region of device memory whose limit (dmem.max) the control group came to, where it has one. */
export function reachedDeviceLimit({ recording, peaks }: ReportFacts, asked = 0) {
  for (const [region, limit] of Object.entries(recording.cgroup?.deviceLimits ?? {})) {
    const at = peaks.findIndex(({ series }) => series === `dmem.${region}`);
    const bytes = peaks[at]?.bytes ?? 0;
    if (at >= 0 && (bytes >= REACHED_SHARE * limit || bytes + asked > limit))
      return { region, limit, bytes, at };
  }
  return null;
}

/** A driver makes room by moving memory out to the host first: a run that went on was slowed by it. */
export function addDeviceLimit(report: ReportFacts, words: VerdictBuilder): void {
  const reached = reachedDeviceLimit(report);
  if (!reached) return;
  const { region, limit, bytes, at } = reached;
  const where = words.theirs('region', region, 60);
  const statement = `its control group had ${formatBytes(bytes)} of the ${formatBytes(limit)} that it may have of ${where} (dmem.max)`;
  words.evidence(`/peaks/${at}/bytes`, 'bytes', statement);
}
