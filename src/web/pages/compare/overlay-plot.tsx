import { formatMiB } from '../../../base/bytes.ts';
import { lastUpTo } from '../../../base/search.ts';
import { ellipsize } from '../../../base/text.ts';
import { formatDuration } from '../../../base/time.ts';
import type { Columns } from '../../../model/columns.ts';
import type { OverlaidRuns } from '../../../model/overlaid-runs.ts';
import { extentOf, linePlot } from '../../../views/chart/page-plots.ts';
import { type LineLook, lineLook } from '../../../views/chart/palette.ts';
import type { PlacedPeak } from '../../../views/chart/peak-mark.ts';
import { peakWords } from '../../../views/chart/peak-words.ts';
import type { PageState } from '../../address.ts';
import { rangeIn } from '../../hands/range.ts';
import { useRange } from '../../hands/use-range.ts';
import { doorsOf } from '../../parts/doors.ts';
import { HandsHint } from '../../parts/help.tsx';
import { PlotView } from '../../parts/plot-view.tsx';
import { type Fetched, useResource } from '../../parts/resource.ts';
import { Awaited } from '../../parts/waiting.tsx';
import { useWidth } from '../../parts/width.ts';
import { isOneFile } from '../../store.ts';
import { theme } from '../../theme.ts';
import type { PageProps } from '../page.ts';

const HEIGHT = 320;
/** Nearer, in seconds or iterations, nothing was sampled. */
const LEAST = 1e-6;

interface Props extends PageProps {
  readonly overlay: FetchedOverlay;
  /** In the order of their names, `8` before `16`, instead of the given one. */
  readonly natural: boolean;
}

/** All runs over one axis: handled as every chart is; a name leaves a run out. */
export function OverlayPlot(props: Props) {
  const { overlay: fetched } = props;
  const [ref, width] = useWidth<HTMLDivElement>();
  return (
    <div ref={ref} class="overlay-plot" aria-busy={fetched.loading}>
      <Awaited what="curves" fetched={fetched}>
        {(data) => <Curves {...props} data={data} width={width} />}
      </Awaited>
    </div>
  );
}

const BY_NAME = new Intl.Collator('en', { numeric: true });

const SINCE: Readonly<Record<string, string>> = {
  'workload start': 'since the workload started',
  'first sample': 'since the first sample',
  'recording start': 'since the start of each run',
  'first iteration': 'since the first iteration',
};

/** Beyond these, words of peaks would hide the curves: only the highest has some. */
const MOST_PEAKS = 3;

function Curves({
  inputs,
  state,
  setState,
  natural,
  data,
  width,
}: Props & { data: Columns<OverlaidRuns>; width: number }) {
  const { lines, across, zero, skipped } = data.header;
  if (lines.length === 0) {
    return (
      <p class="muted">{skipped.map(({ name, reason }) => `${name}: ${reason}`).join('; ')}</p>
    );
  }
  const colors = theme.value;
  const hidden = new Set((state.hide ?? '').split('\t'));
  const curves = lines.map((line, i) => ({
    ...line,
    xs: data.f64(`${i}.x`),
    bytes: data.f64(`${i}.bytes`),
  }));
  if (natural) curves.sort((a, b) => BY_NAME.compare(a.name, b.name));
  const all = curves.map((curve, i) => ({ ...curve, look: lineLook(colors, i) }));
  const shown = all.filter(({ name }) => !hidden.has(name));
  const whole = extentOf((shown.length > 0 ? shown : all).map(({ span }) => ({ xs: span })));
  const { shown: seen, handled } = useRange({
    range: rangeIn(state),
    whole: [whole.low, whole.high],
    least: LEAST,
    onRange: (range, how) => setState({ from: range?.[0], to: range?.[1] }, how),
  });
  const highest = [...shown].sort((a, b) => b.peak.bytes - a.peak.bytes);
  const when = (x: number) =>
    across === 'seconds' ? `at ${formatDuration(x)}` : `iteration ${Math.round(x)}`;
  const peaks = highest
    .slice(0, highest.length > MOST_PEAKS ? 1 : MOST_PEAKS)
    .map(({ name, peak, look }) => ({
      name,
      x: peak.x,
      bytes: peak.bytes,
      words: peakWords(formatMiB(peak.bytes), `${ellipsize(name, 40)}, ${when(peak.x)}`),
      color: look.color,
    }));
  const plot = linePlot(highest, {
    title: `Memory of ${shown.length} runs over each other`,
    width,
    height: HEIGHT,
    theme: colors,
    xUnit: across,
    xWords: across === 'seconds' ? (SINCE[zero] ?? '') : 'iteration',
    domain: { low: seen[0], high: seen[1] },
    peaks,
  });
  /** Only a start of each run is what its own timeline counts from. */
  const doors = ({ words }: PlacedPeak) => {
    const peak = peaks.find((one) => one.words === words);
    const run = inputs.runs.find(({ name }) => name === peak?.name);
    const isSame = across === 'seconds' && zero !== 'first iteration';
    if (!peak || !run) return [];
    const span = [whole.low, whole.high] as const;
    const on = { clock: undefined, x: peak.x, span };
    return isSame ? doorsOf(run, { events: [], heap: null, on }) : [];
  };
  const toggle = (name: string) => {
    const next = new Set([...hidden].filter(Boolean));
    if (!next.delete(name)) next.add(name);
    setState({ hide: [...next].join('\t') });
  };
  return (
    <>
      <fieldset class="plain chips" aria-label="Runs">
        {all.map(({ name, look }) => (
          <button
            key={name}
            type="button"
            aria-pressed={!hidden.has(name)}
            onClick={() => toggle(name)}
          >
            <LineSwatch look={look} />
            <bdi class="name">{name}</bdi>
          </button>
        ))}
      </fieldset>
      <PlotView
        plot={plot}
        name="compare"
        handled={handled}
        doors={doors}
        tip={(x) => (
          <>
            <strong>
              {across === 'seconds' ? formatDuration(x) : `iteration ${x.toFixed(1)}`}
            </strong>
            {shown.map(({ name, xs, bytes, look }) => {
              const row = lastUpTo(xs, x);
              const there = row >= 0 && x <= xs.at(-1)! && !Number.isNaN(bytes[row]!);
              return (
                <div key={name}>
                  <LineSwatch look={look} />
                  <bdi class="name">{name}</bdi>
                  {` ${there ? formatMiB(bytes[row]!) : '–'}`}
                </div>
              );
            })}
          </>
        )}
      />
      <p class="muted">
        <HandsHint />
      </p>
      {skipped.map(({ name, reason }) => (
        <p key={name} class="muted">
          not drawn: <bdi class="name">{name}</bdi>, {reason}
        </p>
      ))}
    </>
  );
}

/** A piece of a curve, for its name. */
function LineSwatch({ look }: { look: LineLook }) {
  return (
    <svg class="line-swatch" width={18} height={10} aria-hidden="true">
      <line
        x1={0}
        x2={18}
        y1={5}
        y2={5}
        stroke={look.color}
        stroke-width={2.5}
        stroke-dasharray={look.dash?.join(' ')}
      />
    </svg>
  );
}

export type FetchedOverlay = Fetched<Columns<OverlaidRuns>>;

/** The curves that the address asks for; a stretch of them is asked for anew, in all its detail. */
export function useOverlay(state: PageState): FetchedOverlay {
  const { series, align, absolute } = state;
  // A one-file report has the whole length only.
  const range = isOneFile ? {} : { from: state.from, to: state.to };
  return useResource('job/overlay', { series, align, absolute, ...range });
}
