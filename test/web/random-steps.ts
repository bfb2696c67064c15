/** Whole numbers below a limit, spread over all of it, the first and the last among them. */
export function steps(count: number, below: number): number[] {
  const spread = Array.from({ length: count }, (_, i) => Math.floor(((i * 0.618034) % 1) * below));
  return [0, below - 1, ...spread];
}
