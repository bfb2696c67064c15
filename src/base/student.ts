/** The share of a standard normal distribution that lies above `z`. */
export function normalTail(z: number): number {
  if (z < 0) return 1 - normalTail(-z);
  // Abramowitz and Stegun 26.2.17, good to 7.5e-8.
  const t = 1 / (1 + 0.2316419 * z);
  const sum =
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return Math.exp((-z * z) / 2) * 0.3989422804 * sum;
}

/**
 * The share of Student's distribution above `t`, by Hill's normal approximation: good to four digits
 * from five degrees of freedom on.
 */
export function studentTail(t: number, freedom: number): number {
  if (t < 0) return 1 - studentTail(-t, freedom);
  const a = freedom - 0.5;
  const w = Math.sqrt(a * Math.log1p((t * t) / freedom));
  return normalTail(w + (w ** 3 + 3 * w) / (48 * a * a));
}
