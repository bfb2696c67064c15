/** Uniform numbers in [0, 1): the same ones for the same seed, by xorshift on 32 bits. */
export type Random = () => number;

export function createRandom(seed: number): Random {
  // Seeds that follow each other must not give streams that resemble each other, and the state
  // must never be zero: multiplying by an odd constant and mixing the halves sees to the first.
  let state = Math.imul((seed | 0) + 0x6d2b, 0x9e3779b1);
  state = Math.imul(state ^ (state >>> 15), 0x85ebca6b) || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

export function between(random: Random, low: number, high: number): number {
  return low + (high - low) * random();
}

/** The numbers from 0 to count - 1 in a random order. */
export function shuffled(random: Random, count: number): number[] {
  const order = Array.from({ length: count }, (_, index) => index);
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}
