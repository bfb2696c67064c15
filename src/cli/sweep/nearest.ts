/** The name that was probably meant; null when none is near. */
export function nearest(wrong: string, names: readonly string[]): string | null {
  const ranked = names
    .map((name) => ({ name, far: distance(wrong.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.far - b.far);
  const [best] = ranked;
  return best && best.far <= Math.max(1, Math.floor(wrong.length / 3)) ? best.name : null;
}

/** How many letters have to be changed, added or left out. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
