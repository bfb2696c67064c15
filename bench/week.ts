import { MiB } from '../src/base/bytes.ts';
import { formatDuration } from '../src/base/time.ts';
import { type MemoryLevel, runModule } from './child.ts';
import type { Benchmark, Row } from './result.ts';

interface Week {
  readonly ticks: number;
  readonly maxBytes: number;
  readonly rawBytes: number;
  readonly largest: number;
  readonly finalBytes: number;
  readonly folds: number;
  readonly seconds: number;
  readonly slowestStepMs: number;
  readonly levels: readonly MemoryLevel[];
  readonly planted: number;
  readonly exact: readonly { name: string; kept: number; samples: number }[];
  readonly foldedSeconds: number | null;
  readonly damage: readonly string[];
}

const QUICK_SCALE = 256;
const SCALE = 32;

export const week: Benchmark = {
  name: 'week',
  title: 'a simulated week within --max-disk: 54 host fields, 8 processes, a control group',
  minutes: 3,
  async run({ quick, full }) {
    const scale = full ? 1 : quick ? QUICK_SCALE : SCALE;
    const week = await runModule<Week>('./simulated-week.ts', scale);
    return [
      {
        what: 'simulated',
        figure:
          scale === 1
            ? '7 days at 100 Hz, 1 GiB'
            : `7 days, rate and limit both 1/${scale} of 100 Hz and 1 GiB: as many folds`,
      },
      { what: 'samples written', figure: `${week.ticks}, ${mib(week.rawBytes)}` },
      { what: 'folds', figure: `${week.folds}, slowest step ${week.slowestStepMs.toFixed(0)} ms` },
      {
        what: 'largest at any moment',
        peer: '--max-disk',
        figure: mib(week.largest),
        theirs: mib(week.maxBytes),
        ratio: week.largest / week.maxBytes,
        limit: '≤ 1×',
        pass: week.largest <= week.maxBytes,
      },
      { what: 'at the end', figure: mib(week.finalBytes) },
      { what: 'longest folded stretch', figure: formatDuration(week.foldedSeconds ?? 0) },
      ...week.exact.map((series) => peaks(series, week.planted)),
      { what: 'damage', figure: week.damage.join('; ') || 'none', pass: week.damage.length === 0 },
      { what: 'time taken', figure: formatDuration(week.seconds) },
      {
        what: 'resident at each tenth',
        figure: `${week.levels.map(({ rss }) => (rss / MiB).toFixed(0)).join(' ')} MiB`,
      },
    ];
  },
};

const mib = (bytes: number) => `${(bytes / MiB).toFixed(1)} MiB`;

function peaks(series: Week['exact'][number], planted: number): Row {
  return {
    what: `peaks of ${series.name}`,
    figure: `${series.kept} of ${planted} exact, ${series.samples} samples left`,
    limit: 'all',
    pass: series.kept === planted,
  };
}
