import { byOutcome } from '../../allocations/failure/fixes.ts';
import type { Device } from '../../allocations/index.ts';
import type { ReportFacts } from '../../report-facts.ts';
import { cardThen } from './card.ts';
import { outsideFixes } from './outside-fixes.ts';
import { rankedCauses } from './rank.ts';

/** A cause that is less likely gets no advice. */
const WORTH_ADVICE = 0.2;

/** Each device on which memory ran out, with why, and with the fixes that can apply to that. */
export function withCauses(report: ReportFacts): Device[] {
  return report.devices.map((device, index) => {
    const { oom } = device;
    if (!oom) return device;
    const causes = rankedCauses(report, index);
    const advised = new Set(
      causes.filter(({ certainty }, i) => i === 0 || certainty >= WORTH_ADVICE).map(({ id }) => id),
    );
    const fixes = [...outsideFixes(oom, cardThen(report, index)), ...oom.fixes]
      .filter(({ against }) => against.some((id) => advised.has(id)))
      .sort(byOutcome);
    return { ...device, oom: { ...oom, causes, fixes } };
  });
}
