import type { RankedCause } from '../../allocations/failure/ranked-cause.ts';
import type { ReportFacts } from '../../report-facts.ts';
import { grownCauses } from './grown.ts';
import { outsideCauses } from './outside.ts';
import { ownCauses } from './own.ts';
import { sceneOf } from './scene.ts';

/** Less is not worth telling. */
const LEAST = 0.05;
const MOST = 5;
/** Something that was not measured can always be different. */
const SUREST = 0.97;

/** Why memory ran out on a device, the surest first; each with the figures that show it. */
export function rankedCauses(report: ReportFacts, index: number): RankedCause[] {
  const scene = sceneOf(report, index);
  return [...outsideCauses(scene), ...grownCauses(scene), ...ownCauses(scene)]
    .map((cause) => ({
      ...cause,
      bytes: Math.round(cause.bytes),
      certainty: Math.round(100 * Math.min(SUREST, cause.certainty)) / 100,
    }))
    .filter(({ certainty, bytes }) => certainty >= LEAST && bytes > 0)
    .sort((a, b) => b.certainty - a.certainty)
    .slice(0, MOST);
}
