import { useMemo } from 'preact/hooks';
import { partsAt } from '../../../analyses/layers/layers-at.ts';
import type { LayerModel } from '../../../analyses/layers/packed.ts';
import { formatBytes } from '../../../base/bytes.ts';
import { highestIndex } from '../../../base/search.ts';
import { count, ellipsize } from '../../../base/text.ts';
import { type LayerHistory, sumsBy } from '../../../model/layers/history.ts';
import { isOfLayer, layerOf } from '../../../model/layers/kinds.ts';
import { kindName } from '../../../model/memory-kinds.ts';
import { stackPlot } from '../../../views/chart/page-plots.ts';
import { kindColor } from '../../../views/chart/palette.ts';
import { peakWords } from '../../../views/chart/peak-words.ts';
import { whenWords } from '../../../views/report/layers.ts';
import { PlotView } from '../../parts/plot-view.tsx';
import { useWidth } from '../../parts/width.ts';
import { theme } from '../../theme.ts';

interface Props {
  readonly model: LayerModel;
  readonly kinds: readonly (readonly [kind: string, bytes: Float64Array])[];
  readonly hidden: ReadonlySet<string>;
  readonly at: number;
  /** Only this layer's, where one is chosen. */
  readonly layer: string | undefined;
  go(at: number): void;
}

const HEIGHT = 210;
/** What belongs to no layer has no name of its own. */
export const NO_LAYER = 'in no layer';

/** Bytes by kind over all iterations; a click goes to the iteration there. */
export function GrowthPlot({ model, kinds, hidden, at, layer, go }: Props) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const { history, when } = model;
  const own = useMemo(
    () =>
      layer === undefined ? kinds : kindsOfLayer(history, kinds, layer === NO_LAYER ? '' : layer),
    [history, kinds, layer],
  );
  const shown = own.filter(([kind]) => !hidden.has(kind));
  const colors = theme.value;
  const numbers = useMemo(() => iterationNumbers(model), [model]);
  const what = ellipsize(layer ?? 'the model', 60);
  const peak = highestOf(shown.map(([, bytes]) => bytes));
  const plot = stackPlot(
    shown.map(([kind, bytes]) => ({ color: kindColor(colors, kind), bytes })),
    numbers,
    {
      title: `Bytes of ${what} by kind over iterations`,
      width,
      height: HEIGHT,
      theme: colors,
      xUnit: 'iterations',
      xWords: layer === undefined ? 'iteration' : `iteration; only ${what}`,
      domain: wide(numbers[0]!, numbers.at(-1)!),
      at: numbers[at]!,
      peaks:
        peak === null
          ? []
          : [
              {
                x: numbers[peak.place]!,
                bytes: peak.bytes,
                // The sum of what stands in the chart: what was live at once is another figure, of one moment.
                words: peakWords(
                  `${formatBytes(peak.bytes)} of all kinds`,
                  whenWords(when[peak.place]!),
                ),
                color: colors.ink,
              },
            ],
    },
  );
  const nearest = (x: number) => {
    const place = Math.round(
      ((x - numbers[0]!) / (numbers.at(-1)! - numbers[0]! || 1)) * (numbers.length - 1),
    );
    let best = Math.min(Math.max(place, 0), numbers.length - 1);
    while (best > 0 && Math.abs(numbers[best - 1]! - x) < Math.abs(numbers[best]! - x)) best--;
    while (
      best < numbers.length - 1 &&
      Math.abs(numbers[best + 1]! - x) < Math.abs(numbers[best]! - x)
    )
      best++;
    return best;
  };
  return (
    <div ref={ref} class="growth-plot">
      <PlotView
        plot={plot}
        name="layers-over-iterations"
        onPick={(x) => go(nearest(x))}
        onPeak={() => peak && go(peak.place)}
        tip={(x) => {
          const i = nearest(x);
          return (
            <>
              <strong>{whenWords(when[i]!)}</strong>
              {shown.toReversed().map(([kind, bytes]) => (
                <div key={kind}>{`${kindName(kind)} ${formatBytes(bytes[i]!)}`}</div>
              ))}
            </>
          );
        }}
      />
    </div>
  );
}

/** Where the sum of some curves is highest; null where there are none. */
function highestOf(curves: readonly Float64Array[]): { place: number; bytes: number } | null {
  const length = curves[0]?.length ?? 0;
  const sums = Float64Array.from({ length }, (_, i) =>
    curves.reduce((sum, bytes) => sum + bytes[i]!, 0),
  );
  const place = highestIndex(sums);
  return place < 0 ? null : { place, bytes: sums[place]! };
}

function kindsOfLayer(history: LayerHistory, kinds: Props['kinds'], layer: string): Props['kinds'] {
  const sums = sumsBy(history, ({ kind, name }) =>
    isOfLayer(kind, name) && layerOf(name, kind) === layer ? kind : null,
  );
  return kinds.flatMap(([kind]) => {
    const bytes = sums.get(kind);
    return bytes ? [[kind, bytes] as const] : [];
  });
}

/** As told where they rise throughout; counted from 1 where each epoch begins anew. */
function iterationNumbers({ when }: LayerModel): Float64Array {
  const told = when.map(({ iteration }) => iteration ?? Number.NaN);
  const rise = told.every((number, i) => (i === 0 ? !Number.isNaN(number) : number > told[i - 1]!));
  return Float64Array.from(told, (number, i) => (rise ? number : i + 1));
}

const wide = (low: number, high: number) =>
  high > low ? { low, high } : { low: low - 0.5, high: low + 0.5 };

const MOST_GROWING = 4;

/** What only ever grows, in words. */
export function GrowthList({ history }: { history: LayerHistory }) {
  const growing = useMemo(
    () =>
      partsAt(history, history.iterations.length - 1)
        .flatMap(({ name, kind, growth }) => (growth ? [{ name, kind, ...growth }] : []))
        .sort((a, b) => b.bytesPerIteration - a.bytesPerIteration),
    [history],
  );
  const more = growing.length - MOST_GROWING;
  if (growing.length === 0) {
    return history.iterations.length > 7 ? (
      <p class="muted">No part of the model grows from iteration to iteration.</p>
    ) : null;
  }
  return (
    <ul class="alarms">
      {growing.slice(0, MOST_GROWING).map(({ name, kind, pattern, bytesPerIteration, toBytes }) => (
        <li key={`${kind} ${name}`}>
          {`grows ${pattern}: ${kindName(kind)}, `}
          <bdi class="name">{name.slice(0, 300) || 'in no layer'}</bdi>
          {`, by ${formatBytes(bytesPerIteration)} an iteration to ${formatBytes(toBytes)}`}
        </li>
      ))}
      {more > 0 && <li>{`and ${count(more, 'more part')}`}</li>}
    </ul>
  );
}
