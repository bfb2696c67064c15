import { random } from '../support/random.ts';
import type { Files, Target } from './target.ts';
import type { Random } from './values.ts';

/** A mutant is known by its target, seed and number, so that any can be made again. */
export function makeCase(
  target: Target,
  seed: number,
  number: number,
): { files: Files; next: Random } {
  const next = random(Math.imul(seed, 1_000_003) + number);
  // Neighbouring seeds start alike.
  for (let i = 0; i < 4; i++) next();
  return { files: target.mutant(next), next };
}
