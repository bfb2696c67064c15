import { useEffect, useMemo } from 'preact/hooks';
import type { IterationMoment } from '../../../analyses/layers/index.ts';
import { kindSums, type LayersAt, layersAt } from '../../../analyses/layers/layers-at.ts';
import type { LayerModel } from '../../../analyses/layers/packed.ts';
import { formatBytes } from '../../../base/bytes.ts';
import { capitalized, count } from '../../../base/text.ts';
import { formatDuration } from '../../../base/time.ts';
import { liveWords, processWords, whenWords } from '../../../views/report/layers.ts';
import type { PageState } from '../../address.ts';
import type { PageProps } from '../page.ts';
import { GrowthList, GrowthPlot } from './growth.tsx';
import { KindKey, LayerTable } from './layer-table.tsx';

interface Props {
  readonly models: readonly LayerModel[];
  readonly model: LayerModel;
  readonly page: PageProps;
}

/** One process's model at one iteration; the address keeps which. */
export function ModelView({ models, model, page }: Props) {
  const { state, setState } = page;
  const { history, when, highest, every } = model;
  const last = when.length - 1;
  const within = (place: number) => Math.min(Math.max(place, 0), last);
  const placeIn = (now: PageState) => {
    const asked = now.at === undefined ? highest : Number(now.at);
    return Number.isInteger(asked) ? within(asked) : highest;
  };
  const at = placeIn(state);
  const go = (next: number) => setState({ at: within(next) });
  const step = (by: number) => setState((now) => ({ at: within(placeIn(now) + by) }));
  useStepKeys(step);
  const now = useMemo(() => layersAt(history, at), [history, at]);
  const kinds = useMemo(() => kindSums(history), [history]);
  const hidden = useMemo(
    () => new Set((state.hide ?? '').split(',').filter(Boolean)),
    [state.hide],
  );
  const toggle = (kind: string) => {
    const next = new Set(hidden);
    if (!next.delete(kind)) next.add(kind);
    setState({ hide: [...next].join(',') });
  };
  const { peak } = now;
  const most = peak ? `: ${liveWords({ ...peak, layer: peak.layer.slice(0, 200) })}` : '';
  const of = at === highest && last > 0 ? `, the highest of ${count(last + 1, 'iteration')}` : '';
  return (
    <div class="layers-page">
      <p class="headline" data-test="layers-headline">
        {`${capitalized(whenWords(when[at]!))} (${formatDuration(when[at]!.seconds)})${of}${most}`}
      </p>
      <div class="row">
        {models.length > 1 && (
          <select
            aria-label="Process"
            value={String(history.pid)}
            onChange={(event) => setState({ pid: event.currentTarget.value, at: null })}
          >
            {models.map(({ history: one }) => (
              <option key={one.pid} value={String(one.pid)}>
                {processWords(one)}
              </option>
            ))}
          </select>
        )}
        <IterationSlider when={when} at={at} highest={highest} go={go} step={step} />
      </div>
      {every > 1 && (
        <p class="muted">
          {`So much changed that every ${every}th iteration is shown, and the one that held most.`}
        </p>
      )}
      <ThreeSums now={now} />
      <KindKey totals={now.totals} hidden={hidden} toggle={toggle} />
      <GrowthPlot model={model} kinds={kinds} hidden={hidden} at={at} layer={state.layer} go={go} />
      <GrowthList history={history} />
      <LayerTable
        now={now}
        model={model}
        at={at}
        hidden={hidden}
        state={state}
        setState={setState}
      />
    </div>
  );
}

/** Three figures of one iteration, each of something else: what each of them is. */
function ThreeSums({ now: { peak, totals, layers } }: { readonly now: LayersAt }) {
  const sum = (all: readonly { readonly bytes: number }[]) =>
    formatBytes(all.reduce((bytes, one) => bytes + one.bytes, 0));
  const [kinds, named] = [sum(totals), sum(layers)];
  if (!peak || (formatBytes(peak.bytes) === kinds && kinds === named)) return null;
  return (
    <p class="muted" data-test="three-sums">
      {`${formatBytes(peak.bytes)}: the most that was live at one moment, as the framework counts it. ${kinds}: what the kinds in the chart come to, part by part, `}
      {`which need neither have been live together nor be all that was. ${named}: what of that belongs to a layer, as in the table.`}
    </p>
  );
}

/** Arrows go from iteration to iteration, wherever on the page the reader is. */
function useStepKeys(step: (by: number) => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const writing = (event.target as HTMLElement).closest?.('input, select, textarea');
      if (writing || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'ArrowLeft') step(-1);
      else if (event.key === 'ArrowRight') step(1);
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}

interface SliderProps {
  readonly when: readonly IterationMoment[];
  readonly at: number;
  readonly highest: number;
  go(at: number): void;
  step(by: number): void;
}

/** Chooses the iteration that all figures are of. */
function IterationSlider({ when, at, highest, go, step }: SliderProps) {
  const last = when.length - 1;
  return (
    <fieldset class="plain row" aria-label="Iteration">
      <button
        type="button"
        aria-label="Previous iteration"
        disabled={at === 0}
        onClick={() => step(-1)}
      >
        ←
      </button>
      <input
        type="range"
        aria-label="Iteration"
        aria-valuetext={whenWords(when[at]!)}
        min={0}
        max={last}
        value={at}
        onInput={(event) => go(Number(event.currentTarget.value))}
      />
      <button
        type="button"
        aria-label="Next iteration"
        disabled={at === last}
        onClick={() => step(1)}
      >
        →
      </button>
      <button type="button" disabled={at === highest} onClick={() => go(highest)}>
        Highest
      </button>
    </fieldset>
  );
}
