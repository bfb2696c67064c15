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
  /** Told apart with every common kind of colour blindness, and in grey print by lightness. */
  readonly series: readonly string[];
}

/** Okabe and Ito's set, ordered so that neighbours differ most; its yellow is too pale for lines. */
export const LIGHT: Theme = {
  background: '#ffffff',
  ink: '#1b1f27',
  muted: '#5d6675',
  axis: '#8b93a1',
  grid: '#e3e6eb',
  minorGrid: '#f2f4f6',
  mark: '#a3abb8',
  alarm: '#d55e00',
  series: ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#5d6675'],
};

export const DARK: Theme = {
  background: '#14171c',
  ink: '#eef1f5',
  muted: '#a4adba',
  axis: '#6b7481',
  grid: '#2b3038',
  minorGrid: '#20242a',
  mark: '#5b6470',
  alarm: '#ff8a3d',
  series: ['#56b4e9', '#e69f00', '#2fc79b', '#dd94bb', '#4f93d8', '#f0783c', '#a4adba'],
};

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

/** What is mixed into the plain colours once all are used, and how much of it. */
const TONES = [
  ['background', 0],
  ['background', 0.42],
  ['background', 0.68],
  ['ink', 0.45],
] as const;

/** A colour of its own for each of twenty-eight things, then again. */
export function shade(theme: Theme, place: number): string {
  const colors = theme.series.length;
  const [other, share] = TONES[Math.floor(place / colors) % TONES.length]!;
  return mix(theme.series[place % colors]!, theme[other], share);
}

function mix(color: string, ground: string, share: number): string {
  const part = (hex: string, i: number) => Number.parseInt(hex.slice(1 + 2 * i, 3 + 2 * i), 16);
  const parts = [0, 1, 2].map((i) =>
    Math.round(part(color, i) * (1 - share) + part(ground, i) * share),
  );
  return `#${parts.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}
