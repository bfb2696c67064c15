import type { PackedRanks } from '../../../analyses/ranks/timelines.ts';
import { formatBytes } from '../../../base/bytes.ts';
import { highestIndex, lastUpTo } from '../../../base/search.ts';
import { formatDuration } from '../../../base/time.ts';
import type { Columns } from '../../../model/columns.ts';
import { extentOf, linePlot, valuesOf } from '../../../views/chart/page-plots.ts';
import { peakWords } from '../../../views/chart/peak-words.ts';
import { PlotView } from '../../parts/plot-view.tsx';
import { useWidth } from '../../parts/width.ts';
import { theme } from '../../theme.ts';

interface Props {
  readonly data: Columns<PackedRanks>;
  readonly order: readonly number[];
  readonly chosen: number;
  choose(rank: number): void;
}

const HEIGHT = 150;
const LEAST_WIDTH = 290;
const GAP = 12;
/** More pictures than this are a wall; the table below has every rank. */
const MOST = 64;

/** A small curve each rank, all over the same axes, so that they can be compared by eye. */
export function RankGrid({ data, order, chosen, choose }: Props) {
  const [ref, wide] = useWidth<HTMLDivElement>();
  const beside = Math.max(1, Math.floor((wide + GAP) / (LEAST_WIDTH + GAP)));
  const width = Math.floor((wide - (beside - 1) * GAP) / beside);
  const { outlier } = data.header.facts;
  const colors = theme.value;
  const all = order.map((rank) => ({
    rank,
    xs: data.f64(`${rank}.seconds`),
    bytes: data.f64(`${rank}.bytes`),
  }));
  const domain = extentOf(all);
  const values = valuesOf(all, domain);
  return (
    <div ref={ref} class="rank-grid">
      {all.slice(0, MOST).map(({ rank, xs, bytes }) => {
        const out = rank === outlier?.rank;
        const top = highestIndex(bytes);
        const peak = top < 0 ? 0 : bytes[top]!;
        const look = { color: out ? colors.alarm : colors.series[0]! };
        const title = `Memory of rank ${rank} over time`;
        const size = { width: width - 2, height: HEIGHT };
        const plot = linePlot([{ xs, bytes, look }], {
          ...{ title, ...size, theme: colors, domain, values },
          xUnit: 'seconds',
          xWords: '',
          peaks:
            top < 0
              ? []
              : [
                  {
                    x: xs[top]!,
                    bytes: peak,
                    words: peakWords(formatBytes(peak), `at ${formatDuration(xs[top]!)}`),
                    color: look.color,
                  },
                ],
        });
        return (
          <section key={rank} class="rank" aria-current={rank === chosen}>
            <button type="button" onClick={() => choose(rank)}>
              {`rank ${rank} · ${bytes.length > 0 ? formatBytes(peak) : 'not measured'}`}
              {out && <strong class="alarm"> stands out</strong>}
            </button>
            <PlotView
              plot={plot}
              name={`rank-${rank}`}
              onPick={() => choose(rank)}
              tip={(x) => {
                const row = lastUpTo(xs, x);
                return row < 0 ? null : `${formatDuration(xs[row]!)}: ${formatBytes(bytes[row]!)}`;
              }}
            />
          </section>
        );
      })}
      {order.length > MOST && (
        <p class="muted">{`and ${order.length - MOST} ranks that hold less`}</p>
      )}
    </div>
  );
}
