import { GiB, KiB, MiB } from './bytes.ts';

const FACTORS: Readonly<Record<string, number>> = {
  ...{ KiB, MiB, GiB, TiB: 1024 * GiB, PiB: 1024 * 1024 * GiB },
  ...{ ms: 0.001, s: 1, min: 60, h: 3600, d: 86_400 },
};

/** The figure that words of ours begin with, to sort by: `−1.07 GiB`, `2 min 03 s`, `1,234`, `53 %`. Null: there is none. */
export function figureIn(words: string): number | null {
  const figure = /^([+−-]?)((?:[\d,]+(?:\.\d+)?\s*[A-Za-z%]*\s*)+)/.exec(words.trim());
  if (!figure) return null;
  let sum = 0;
  for (const [, number, unit] of figure[2]!.matchAll(/([\d,]+(?:\.\d+)?)\s*([A-Za-z%]*)/g)) {
    sum += Number(number!.replaceAll(',', '')) * (FACTORS[unit!] ?? 1);
  }
  return figure[1] === '' || figure[1] === '+' ? sum : -sum;
}
