/** More points than this are thinned: a screen is narrower, and viewers load every event. */
const MOST_POINTS = 20_000;
const STRETCHES = 4_000;

/**
 * Which points to keep of several quantities that change together: the lowest and the highest of
 * each in every stretch, and the ends. `step` is called for every point in turn and returns the values after
 * it, in an array that it may reuse.
 */
export function extremes(points: number, step: (point: number) => ArrayLike<number>): Uint32Array {
  if (points <= MOST_POINTS) return Uint32Array.from({ length: points }, (_, i) => i);
  const length = Math.ceil(points / STRETCHES);
  const kept: number[] = [0];
  let [low, high]: { value: number; point: number }[][] = [[], []];
  const close = () => {
    kept.push(...[...low!, ...high!].map(({ point }) => point));
    [low, high] = [[], []];
  };
  for (let point = 0; point < points; point++) {
    if (point % length === 0) close();
    const values = step(point);
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      if (!low![i] || value < low![i]!.value) low![i] = { value, point };
      if (!high![i] || value > high![i]!.value) high![i] = { value, point };
    }
  }
  close();
  kept.push(points - 1);
  return Uint32Array.from(new Set(kept)).sort();
}
