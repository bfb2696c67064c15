import { formatMiB } from '../../../base/bytes.ts';
import { lastUpTo } from '../../../base/search.ts';
import { formatDuration } from '../../../base/time.ts';
import type { Columns } from '../../../model/columns.ts';
import type { OverlaidRuns } from '../../../model/overlaid-runs.ts';
import { extentOf, linePlot } from '../../../views/chart/page-plots.ts';
import { type LineLook, lineLook } from '../../../views/chart/palette.ts';
import type { PageState } from '../../address.ts';
import { PlotView } from '../../parts/plot-view.tsx';
import { type Fetched, useResource } from '../../parts/resource.ts';
import { Awaited } from '../../parts/waiting.tsx';
import { useWidth } from '../../parts/width.ts';
import { isOneFile } from '../../store.ts';
import { theme } from '../../theme.ts';
import type { PageProps } from '../page.ts';

const HEIGHT = 320;

interface Props extends PageProps {
  readonly overlay: FetchedOverlay;
  /** In the order of their names, `8` before `16`, instead of the given one. */
  readonly natural: boolean;
}

/** All runs over one axis: a drag zooms, a double click shows all, a name leaves a run out. */
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

function Curves({
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
  const whole = extentOf(shown.length > 0 ? shown : all);
  const [from, to] = [Number(state.from), Number(state.to)];
  const domain = to > from ? { low: from, high: to } : whole;
  const plot = linePlot(
    [...shown].sort((a, b) => b.peak.bytes - a.peak.bytes),
    {
      title: `Memory of ${shown.length} runs over each other`,
      width,
      height: HEIGHT,
      theme: colors,
      xUnit: across,
      xWords: across === 'seconds' ? (SINCE[zero] ?? '') : 'iteration',
      domain,
    },
  );
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
        onZoom={(range) => setState({ from: range?.[0], to: range?.[1] }, 'push')}
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
