import { blockMinima, means, riseOf } from './blocks.ts';
import { curveOf } from './curve.ts';
import { scatter } from './scatter.ts';
import { slopeOf } from './slope.ts';

/** Averages are known well enough to be taken of shorter stretches. */
const MEANS = 48;
/** Half a run has half of the blocks; with eight there is still an interval, a wide one. */
const FEWEST = 8;
/** No bound is closer than if all values were independent: so many standard errors of a line through them. */
const INDEPENDENT = 3.3;

/**
 * The most that it can have grown or shrunk, but for that chance. What is leaked is there at all
 * times: it lifts the smallest values of blocks and their averages alike. Averages of many values
 * are known far better, and so is how much their noise remembers, as there can be more of them; the
 * smaller of both bounds counts. A collector that runs ever more often keeps averages down, so the
 * smallest values must not be seen to grow either.
 */
export function mostGrowth(x: Float64Array, y: Float64Array, chance: number): number {
  const least = blockMinima(x, y);
  const count = least.y.length;
  if (count < FEWEST) return Number.POSITIVE_INFINITY;
  const average = means(x, y, Math.max(count, Math.min(MEANS, Math.floor(y.length / 2))));
  const [ofLeast, ofMeans] = [least, average].map((blocks) => {
    const slope = slopeOf(blocks.x, blocks.y);
    const growth = Math.abs(riseOf(blocks, slope));
    return { slope, growth, most: growth + curveOf(blocks.y).doubt(chance / 2) };
  });
  const most = Math.min(ofLeast!.most, Math.max(ofMeans!.most, ofLeast!.growth));
  // A saw-tooth in step with the blocks leaves no noise in them, but may well hide growth.
  const independent = INDEPENDENT * scatter(x, y, ofLeast!.slope) * Math.sqrt(12 / y.length);
  return Math.max(most, ofLeast!.growth + independent);
}
