/** In [0, 1). */
export type Random = () => number;

const below = (random: Random, n: number) => Math.floor(random() * n);

/** Values that break readers: none, endless, on either side of what a type holds, of the wrong sign. */
const NUMBERS = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  0,
  -0,
  1,
  -1,
  0.5,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
  2 ** 32,
  2 ** 53,
  -(2 ** 53),
  2 ** 63,
  2 ** 64,
  5e-324,
  1.7e308,
  1e300,
  -1e300,
];

/** Another number: a breaker, or a near or far one of the same kind. */
export function otherNumber(random: Random, value: number): number {
  const roll = random();
  if (roll < 0.6) return NUMBERS[below(random, NUMBERS.length)]!;
  if (roll < 0.75) return -value;
  if (roll < 0.9) return value + below(random, 7) - 3;
  return value * 10 ** (below(random, 41) - 20);
}

/** A whole number of so many bits. */
export function otherWord(random: Random, bits: 8 | 32, value: number): number {
  const most = 2 ** bits - 1;
  const roll = random();
  if (roll < 0.3) return [0, 1, most, most - 1, 2 ** (bits - 1)][below(random, 5)]!;
  if (roll < 0.6) return (value + below(random, 9) - 4) & most;
  return below(random, roll < 0.8 ? 16 : most);
}

export function otherLong(random: Random, value: bigint): bigint {
  const roll = random();
  if (roll < 0.5) {
    return [0n, 1n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 53n + 1n, 2n ** 32n][below(random, 6)]!;
  }
  return BigInt.asUintN(64, value + BigInt(below(random, 2001) - 1000));
}

const TEXTS = [
  '',
  '\0',
  '\n',
  '\u001b[31m',
  '\ufeff',
  'a'.repeat(5000),
  '__proto__',
  'NaN',
  '../../x',
  '<b>&"',
  '🦆'.repeat(50),
  '%s',
  '-1',
];

/** What makes a careless pattern look at a text again and again. */
const REPEATED = [
  'a',
  '-',
  '=',
  '"',
  "'",
  '{',
  '(',
  '[',
  ' ',
  '\\',
  '/',
  '.',
  '@',
  ':',
  'a-',
  'a=',
  '{"',
  '--a ',
  '://',
  'a@',
];

export function otherText(random: Random, value: string): string {
  const roll = random();
  if (roll < 0.5) return TEXTS[below(random, TEXTS.length)]!;
  if (roll < 0.7) return REPEATED[below(random, REPEATED.length)]!.repeat(below(random, 6000));
  if (roll < 0.85) return value + value;
  return value.slice(0, below(random, value.length + 1));
}
