const ROUNDS = 40;
/** Two that are as sure as can be would need a power of about this. */
const HIGHEST = 64;

/**
 * How sure each of several causes is when one alone can be why memory ran out: each was judged by itself, and a rival that is within
 * reach makes the others less sure. Where they add up to more than one, all are taken to the power at which they add up to one: their
 * order stays, what is far behind goes first, and two that are equally sure are a half each.
 */
export function excluding(certainties: readonly number[]): number[] {
  const raised = (power: number) => certainties.map((one) => (one > 0 ? one ** power : 0));
  const sum = (power: number) => raised(power).reduce((all, one) => all + one, 0);
  if (sum(1) <= 1) return [...certainties];
  let [low, high] = [1, HIGHEST];
  for (let round = 0; round < ROUNDS; round++) {
    const middle = (low + high) / 2;
    if (sum(middle) > 1) low = middle;
    else high = middle;
  }
  return raised(high);
}
