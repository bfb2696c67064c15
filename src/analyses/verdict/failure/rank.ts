import type { RankedCause } from '../../allocations/failure/ranked-cause.ts';
import type { ReportFacts } from '../../report-facts.ts';
import { excluding } from './excluding.ts';
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
  const grown = grownCauses(scene);
  const groups = [...[...outsideCauses(scene), ...ownCauses(scene)].map((one) => [one]), grown];
  return excludingEachOther(groups)
    .map((cause) => ({
      ...cause,
      bytes: Math.round(cause.bytes),
      certainty: Math.round(100 * cause.certainty) / 100,
    }))
    .filter(({ certainty, bytes }) => certainty >= LEAST && bytes > 0)
    .sort((a, b) => b.certainty - a.certainty)
    .slice(0, MOST);
}

/** Those of one group share its certainty already: what grows is a cache or is not. */
function excludingEachOther(groups: readonly (readonly RankedCause[])[]): RankedCause[] {
  const sums = groups.map((group) => group.reduce((sum, { certainty }) => sum + certainty, 0));
  const sure = excluding(sums.map((sum) => Math.min(SUREST, sum)));
  return groups.flatMap((group, i) =>
    group.map((cause) => ({
      ...cause,
      certainty: sums[i] === 0 ? 0 : (cause.certainty * sure[i]!) / sums[i]!,
    })),
  );
}
