/**
 * `gpu`, `torch` and `tree` stand for a family: the highest of its members, each judged by the figure that says
 * most about the workload itself.
 */
const FAMILIES: Readonly<Record<string, readonly RegExp[]>> = {
  gpu: [/^gpu\d+\.tree$/, /^gpu\d+\.used$/],
  torch: [/^torch\w+\.requested$/, /^torch\w+\.allocated$/],
  tree: [/^tree\.pss$/, /^tree\.rss$/],
  host: [/^host\.held$/, /^host\.used$/],
};

/** How well a series repeats from run to run: what was asked for is the same each time, pages are not. */
const BY_REPEATABILITY = [
  /\.requested$/,
  /^torch\w+\.allocated$/,
  /^torch\w+\.reserved$/,
  /^gpu\d+\.tree$/,
  /^gpu\d+\.used$/,
  /^tree\.pss$/,
  /^tree\.rss$/,
];

export interface Figure {
  readonly series: string;
  readonly bytes: number;
}

/** The figure that a limit on this series or family is about; null where the run has none. */
export function figureOf(peaks: Readonly<Record<string, number>>, asked: string): Figure | null {
  if (asked in peaks) return { series: asked, bytes: peaks[asked]! };
  for (const pattern of FAMILIES[asked] ?? []) {
    const members = Object.entries(peaks).filter(([name]) => pattern.test(name));
    const [top] = members.sort((a, b) => b[1] - a[1]);
    // All zero: the driver lists no processes, the card itself then tells more.
    if (top && top[1] > 0) return { series: top[0], bytes: top[1] };
  }
  return null;
}

/** The most repeatable figures that all runs have: of GPUs and of the host, the best measure of each. */
export function repeatable(runs: readonly Readonly<Record<string, number>>[]): string[] {
  const common = Object.keys(runs[0] ?? {}).filter((name) =>
    runs.every((run) => (run[name] ?? 0) > 0),
  );
  const rank = (name: string) => BY_REPEATABILITY.findIndex((pattern) => pattern.test(name));
  const ranked = common.filter((name) => rank(name) >= 0).sort((a, b) => rank(a) - rank(b));
  const onHost = (name: string) => name.startsWith('tree.');
  const device = ranked.find((name) => !onHost(name));
  const best = device === undefined ? [] : ranked.filter((name) => rank(name) === rank(device));
  return [...best, ...ranked.filter(onHost).slice(0, 1)];
}

/** 1: repeats to the byte; 2: nearly; 3: moves with the system's paging; 4: of the whole machine. */
export function repeatability(name: string): 1 | 2 | 3 | 4 {
  if (/\.requested$|^torch\w+\.allocated$/.test(name)) return 1;
  if (/^torch|^gpu\d+\.tree$/.test(name)) return 2;
  return /^tree\.(pss|rss)$|^malloc/.test(name) ? 3 : 4;
}

export const FAMILY_NAMES = Object.keys(FAMILIES);
