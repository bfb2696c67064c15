/** A share in whole percent, halves to the even number, as Python prints them. */
export function wholePercent(part: number, whole: number): number {
  if (whole === 0) return 0;
  const value = (part * 100) / whole;
  const low = Math.floor(value);
  if (value - low !== 0.5) return Math.round(value);
  return low % 2 === 0 ? low : low + 1;
}
