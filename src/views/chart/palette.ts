import { type MemoryKind, memoryKind } from '../../model/memory-kinds.ts';

/** Colours of a picture on a ground. */
export interface Theme {
  readonly background: string;
  readonly ink: string;
  readonly muted: string;
  readonly axis: string;
  readonly grid: string;
  readonly minorGrid: string;
  readonly mark: string;
  readonly alarm: string;
  /** Processes, ranks, runs and other things without a meaning of their own, by their place. */
  readonly series: readonly string[];
  /** What memory is: the same colour in every picture and on every page. */
  readonly kinds: Readonly<Record<MemoryKind, string>>;
}

/**
 * Eleven colours on each ground, found by a search: of any two, CIEDE2000 is at least 12 for normal eyes and with
 * protanopia, deuteranopia and tritanopia (simulated), and each has a contrast of 3 with its ground.
 * test/views/palette.test.ts computes both.
 */
interface Colors {
  readonly blue: string;
  readonly sky: string;
  readonly green: string;
  readonly orange: string;
  readonly olive: string;
  readonly pink: string;
  readonly violet: string;
  readonly tan: string;
  readonly red: string;
  readonly slate: string;
  readonly grey: string;
}

const ON_LIGHT: Colors = {
  blue: '#3669c9',
  sky: '#009ac6',
  green: '#006348',
  orange: '#cd7c0d',
  olive: '#756500',
  pink: '#bd3870',
  violet: '#4f00b7',
  tan: '#a48b68',
  red: '#7a1817',
  slate: '#202a35',
  grey: '#8a8e97',
};

const ON_DARK: Colors = {
  blue: '#619cff',
  sky: '#49d8fe',
  green: '#269761',
  orange: '#e99d34',
  olive: '#f3ef67',
  pink: '#cb6aa4',
  violet: '#8759ce',
  tan: '#beaf9d',
  red: '#d33612',
  slate: '#e9eff5',
  grey: '#6e7177',
};

/** Two kinds share a colour only where no picture has both: allocations' categories, layers' kinds, the bands of a process. */
const kindsIn = (colors: Colors): Theme['kinds'] => ({
  parameter: colors.blue,
  buffer: colors.sky,
  optimizer_state: colors.green,
  gradient: colors.orange,
  input: colors.olive,
  activation: colors.pink,
  output: colors.tan,
  intermediate_gradient: colors.violet,
  temporary: colors.violet,
  workspace: colors.tan,
  kept: colors.red,
  cache: colors.olive,
  other: colors.grey,
  unknown: colors.grey,
  cached: colors.slate,
  context: colors.tan,
});

const seriesIn = ({ blue, orange, green, pink, sky, red, violet, grey }: Colors) => [
  ...[blue, orange, green, pink, sky, red, violet, grey],
];

export const LIGHT: Theme = {
  background: '#ffffff',
  ink: '#1b1f27',
  muted: '#5d6675',
  axis: '#8b93a1',
  grid: '#e3e6eb',
  minorGrid: '#f2f4f6',
  mark: '#868e9c',
  alarm: '#b84a00',
  series: seriesIn(ON_LIGHT),
  kinds: kindsIn(ON_LIGHT),
};

export const DARK: Theme = {
  background: '#14171c',
  ink: '#eef1f5',
  muted: '#a4adba',
  axis: '#6b7481',
  grid: '#2b3038',
  minorGrid: '#20242a',
  mark: '#6b7481',
  alarm: '#ff8a3d',
  series: seriesIn(ON_DARK),
  kinds: kindsIn(ON_DARK),
};

/** The colour of a category, of a layer's kind or of a band, by its key; kinds of other profilers are grey. */
export function kindColor(theme: Theme, key: string): string {
  const kind = memoryKind(key);
  return theme.kinds[kind ?? 'other'];
}

/** Colours of the parts of one bar: kinds have their own, all else those that no kind in it has; the rest is a grey that no kind has. */
export function partColors(theme: Theme, keys: readonly string[]): string[] {
  const taken = new Set(keys.flatMap((key) => (memoryKind(key) ? [kindColor(theme, key)] : [])));
  const free = theme.series.filter((color) => !taken.has(color));
  let next = 0;
  const place = () => {
    const [color, round] = [free[next % free.length]!, Math.floor(next / free.length)];
    next++;
    return mix(color, theme.ink, TONES[round % TONES.length]!);
  };
  return keys.map((key) =>
    key === 'rest' ? theme.muted : memoryKind(key) ? kindColor(theme, key) : place(),
  );
}

export const seriesColor = (theme: Theme, i: number) => theme.series[i % theme.series.length]!;

/** How one of many lines is told from the others: by colour, and beyond those by its dashes. */
export interface LineLook {
  readonly color: string;
  readonly dash?: readonly number[];
}

const DASHES: readonly (readonly number[] | undefined)[] = [
  undefined,
  [7, 3],
  [2, 2.5],
  [9, 3, 2, 3],
];

export function lineLook(theme: Theme, i: number): LineLook {
  const round = Math.floor(i / theme.series.length) % DASHES.length;
  return { color: seriesColor(theme, i), dash: DASHES[round] };
}

/** How much ink is mixed into the plain colours once all are used: never the ground, from which they would not stand out. */
const TONES = [0, 0.3, 0.5, 0.68];

/** A colour of its own for each of thirty-two things, then again. */
export function shade(theme: Theme, place: number): string {
  const colors = theme.series.length;
  const share = TONES[Math.floor(place / colors) % TONES.length]!;
  return mix(theme.series[place % colors]!, theme.ink, share);
}

/** From hardly anything to all of it, in one hue, so that it reads as an order in every kind of colour vision: as red, green, blue. */
export function heatColors(theme: Theme, steps: number): [number, number, number][] {
  const hue = theme.series[0]!;
  const dark = theme.background === DARK.background;
  const [low, high] = [
    mix(hue, theme.background, 0.88),
    mix(hue, dark ? '#ffffff' : '#000000', 0.72),
  ];
  return Array.from({ length: steps }, (_, i) => {
    const share = i / Math.max(1, steps - 1);
    const color = share < 0.5 ? mix(low, hue, share * 2) : mix(hue, high, share * 2 - 1);
    return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as [
      number,
      number,
      number,
    ];
  });
}

/** A colour with a share of another in it. */
export function mix(color: string, ground: string, share: number): string {
  const part = (hex: string, i: number) => Number.parseInt(hex.slice(1 + 2 * i, 3 + 2 * i), 16);
  const parts = [0, 1, 2].map((i) =>
    Math.round(part(color, i) * (1 - share) + part(ground, i) * share),
  );
  return `#${parts.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}
