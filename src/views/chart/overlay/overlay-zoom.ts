/** Where two neighbours in the order of peaks differ by this, the lower ones are hard to read. */
const DWARFED = 3;

/**
 * Up to where a second, closer panel looks: the highest peak below the widest gap between peaks;
 * null where one panel shows all of them well.
 */
export function zoomTop(
  lines: readonly { readonly peak: { readonly bytes: number } }[],
): number | null {
  const peaks = lines.map(({ peak }) => peak.bytes).sort((a, b) => b - a);
  let widest = DWARFED;
  let top: number | null = null;
  for (const [i, below] of peaks.slice(1).entries()) {
    if (below > 0 && peaks[i]! / below >= widest) [widest, top] = [peaks[i]! / below, below];
  }
  return top;
}
