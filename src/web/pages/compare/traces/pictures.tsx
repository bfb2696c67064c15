import { useMemo } from 'preact/hooks';
import type { ComparedTraces, TraceSide } from '../../../../analyses/allocations/diff/curves.ts';
import type { DeviceDifference } from '../../../../analyses/allocations/diff/index.ts';
import type { Category } from '../../../../analyses/allocations/evidence/reasons.ts';
import { formatBytes } from '../../../../base/bytes.ts';
import { deviceName } from '../../../../model/allocations/device-name.ts';
import type { Columns } from '../../../../model/columns.ts';
import { byStackOrder, kindName } from '../../../../model/memory-kinds.ts';
import {
  bytesAt,
  commonValues,
  type Lit,
  type TraceStack,
  totalOf,
  traceStackPlot,
} from '../../../../views/chart/overlay/trace-stack.ts';
import { kindColor, type Theme } from '../../../../views/chart/palette.ts';
import { rangeIn } from '../../../hands/range.ts';
import { useRange } from '../../../hands/use-range.ts';
import { type Door, doorsOf } from '../../../parts/doors.ts';
import { HandsHint } from '../../../parts/help.tsx';
import { PlotView } from '../../../parts/plot-view.tsx';
import { useResource } from '../../../parts/resource.ts';
import { Awaited } from '../../../parts/waiting.tsx';
import { useWidth } from '../../../parts/width.ts';
import { isOneFile } from '../../../store.ts';
import { theme } from '../../../theme.ts';
import type { PageProps } from '../../page.ts';
import type { Lights } from './lights.ts';
import { isLit, type LitRow } from './lit.ts';

const HEIGHT = 210;
/** Nearer than this there is nothing more to see. */
const LEAST_STEP = 0.01;
const FEWEST_EVENTS = 8;
/** What a one-file report carries; a server answers for the width of the window. */
const EMBEDDED_COLUMNS = 300;

interface Props extends PageProps, Lights {
  readonly pair: DeviceDifference;
  /** Which of the differences it is. */
  readonly place: number;
}

/** Both traces over the same axes, one above the other, stacked by category. */
export function TracePictures(props: Props) {
  const { state, place } = props;
  const [ref, width] = useWidth<HTMLDivElement>();
  const { across, against, tfrom, tto } = state;
  const asked = isOneFile
    ? { columns: EMBEDDED_COLUMNS }
    : { across, against, from: tfrom, to: tto };
  const fetched = useResource<Columns<ComparedTraces>>('job/traces', {
    pair: place === 0 ? null : place,
    ...asked,
  });
  return (
    <div ref={ref} class="trace-pictures" aria-busy={fetched.loading}>
      <Awaited what="curves" fetched={fetched}>
        {(data) => <Drawn {...props} data={data} width={width} />}
      </Awaited>
    </div>
  );
}

type DrawnProps = Props & { readonly data: Columns<ComparedTraces>; readonly width: number };

function Drawn({ inputs, data, width, state, setState, pair, lit, point, choose }: DrawnProps) {
  const { stepped, sides } = data.header;
  const across = stepped && state.across !== 'event' ? 'step' : 'event';
  const colors = theme.value;
  const stacks = useMemo(
    () => [stackOf(data, 0, across, colors), stackOf(data, 1, across, colors)] as const,
    [data, across, colors],
  );
  const { shown, handled } = useRange({
    range: rangeIn({ from: state.tfrom ?? '', to: state.tto ?? '' }),
    whole: wholeOf(data.header, across),
    least: across === 'step' ? LEAST_STEP : FEWEST_EVENTS,
    onRange: (range, how) => setState({ tfrom: range?.[0], tto: range?.[1] }, how),
  });
  const domain = { low: shown[0], high: shown[1] };
  const values = useMemo(() => commonValues(stacks, domain), [stacks, domain.low, domain.high]);
  const there = new Set(sides.flatMap(({ categories }) => categories));
  const order = [...there].sort(byStackOrder);
  return (
    <>
      <div class="row">
        <fieldset class="plain chips" aria-label="Categories">
          {order.map((category) => {
            const row: LitRow = { what: 'category', category };
            return (
              <button
                key={category}
                type="button"
                aria-pressed={lit === null || isLit(lit, row)}
                onPointerEnter={() => point(row)}
                onPointerLeave={() => point(null)}
                onClick={() => choose(row)}
              >
                <span class="swatch" style={{ background: kindColor(colors, category) }} />
                {kindName(category)}
              </button>
            );
          })}
        </fieldset>
        {stepped && (
          <label>
            laid over each other{' '}
            <select
              value={across}
              onChange={(event) => {
                const chosen = event.currentTarget.value;
                setState({ across: chosen === 'step' ? null : chosen, tfrom: null, tto: null });
              }}
            >
              <option value="step">by step</option>
              <option value="event">by event</option>
            </select>
          </label>
        )}
        {state.tfrom !== undefined && (
          <button type="button" onClick={() => setState({ tfrom: null, tto: null })}>
            Whole length
          </button>
        )}
      </div>
      {sides.map((side, i) => {
        const [own, other] = [stacks[i]!, stacks[1 - i]!];
        const name = i === 0 ? pair.a : pair.b;
        const otherName = i === 0 ? pair.b : pair.a;
        return (
          <figure key={i} class="trace-picture" data-test={`trace-${i}`}>
            <figcaption>
              <bdi class="name">{name}</bdi>
              <span class="muted">
                {` ${deviceName(side.device)}${wordsOf(side.steps, 'step')}${wordsOf(side.events, 'event')}; dashed: `}
                <bdi class="name">{otherName}</bdi>
              </span>
            </figcaption>
            <PlotView
              plot={traceStackPlot(own, {
                title: `Memory of ${name} by category, with the outline of ${otherName}`,
                ...{ width, height: HEIGHT, theme: colors, domain, values },
                xUnit: 'iterations',
                xWords: across,
                outline: other,
                lit: litIn(data, i, lit, pair, colors),
              })}
              name={`compare-${i === 0 ? 'before' : 'after'}`}
              handled={handled}
              doors={() => peakDoors(inputs, side)}
              tip={(x) => <Values names={[pair.a, pair.b]} {...{ stacks, order, across, x }} />}
            />
          </figure>
        );
      })}
      <p class="muted">
        <HandsHint />
      </p>
      {!stepped && (
        <p class="muted">
          Laid over each other by the number of the event: no steps are known in at least one of
          them.
        </p>
      )}
      {there.size === 0 && <p class="muted">Neither trace has an allocation.</p>}
    </>
  );
}

/** Of all there is, not only of the part that was asked for. */
function wholeOf({ sides }: ComparedTraces, across: 'step' | 'event'): [number, number] {
  const spans = sides.map(({ span, events }) => (across === 'step' ? span : null) ?? [0, events]);
  return [Math.min(...spans.map(([low]) => low)), Math.max(...spans.map(([, high]) => high))];
}

/** Of the run by its name: a side is one of the inputs. */
function peakDoors({ runs }: PageProps['inputs'], side: TraceSide): Door[] {
  const run = runs.find(({ name }) => name === side.run);
  const { trace, events: of, peak } = side;
  if (!run) return [];
  const on = { clock: 'event', x: peak.event, span: [0, of] } as const;
  return doorsOf(run, {
    events: [{ trace, event: peak.event, isPeak: true, of }],
    heap: null,
    on,
  });
}

const wordsOf = (many: number, what: string) =>
  many === 0 ? '' : `, ${many.toLocaleString('en-US')} ${what}${many === 1 ? '' : 's'}`;

function stackOf(
  data: Columns<ComparedTraces>,
  side: number,
  across: 'step' | 'event',
  colors: Theme,
): TraceStack {
  const { categories, peak, span, events } = data.header.sides[side]!;
  const drawn = data.f64(`${side}.${across}`);
  const end = across === 'step' ? (span?.[1] ?? events) : events;
  const xs = isWhole(data, side) ? Float64Array.of(...drawn, end) : drawn;
  return {
    xs,
    bands: categories.map((category) => ({
      key: category,
      color: kindColor(colors, category),
      bytes: bytesOf(data, side, category),
    })),
    peak: { ...peak, x: (across === 'step' ? peak.at : peak.event) ?? xs[0] ?? 0 },
  };
}

/** Whether it was asked for up to its last event, whose bytes hold until the end: a snapshot may have but one. */
function isWhole(data: Columns<ComparedTraces>, side: number): boolean {
  return data.f64(`${side}.event`).at(-1) === data.header.sides[side]!.events - 1;
}

function bytesOf(data: Columns<ComparedTraces>, side: number, part: string): Float64Array {
  const bytes = data.f64(`${side}.${part}`);
  return isWhole(data, side) ? Float64Array.of(...bytes, bytes.at(-1)!) : bytes;
}

/** A site from the ground, in the colour of what it is. */
function litIn(
  data: Columns<ComparedTraces>,
  side: number,
  lit: LitRow | null,
  { sites }: DeviceDifference,
  colors: Theme,
): Lit | null {
  if (lit === null) return null;
  if (lit.what === 'category') return { category: lit.category };
  const site = sites.shown[lit.site];
  if (!site || lit.site >= data.header.sites) return null;
  const color = kindColor(colors, site.category);
  return { bytes: bytesOf(data, side, `site.${lit.site}`), color };
}

interface ValuesProps {
  readonly names: readonly [string, string];
  readonly stacks: readonly [TraceStack, TraceStack];
  readonly order: readonly Category[];
  readonly across: 'step' | 'event';
  readonly x: number;
}

/** What both hold at a place of the axis, side by side. */
function Values({ names, stacks, order, across, x }: ValuesProps) {
  const figure = (bytes: number | null) => (bytes === null ? '–' : formatBytes(bytes));
  const at = ({ xs, bands }: TraceStack, category: string) => {
    const band = bands.find(({ key }) => key === category);
    if (!band) return bytesAt(xs, new Float64Array(xs.length), x);
    return bytesAt(xs, band.bytes, x);
  };
  const when =
    across === 'event'
      ? `event ${Math.floor(x).toLocaleString('en-US')}`
      : x < 1
        ? 'before the first step'
        : `step ${Math.floor(x)}, ${Math.floor((x % 1) * 100)} % of it`;
  return (
    <table class="trace-values">
      <thead>
        <tr>
          <th>{when}</th>
          {names.map((name, i) => (
            <th key={i}>
              <bdi>{name.slice(0, 24)}</bdi>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {order.toReversed().map((category) => (
          <tr key={category}>
            <td>
              <span class="swatch" style={{ background: kindColor(theme.value, category) }} />{' '}
              {kindName(category)}
            </td>
            {stacks.map((stack, i) => (
              <td key={i}>{figure(at(stack, category))}</td>
            ))}
          </tr>
        ))}
        <tr>
          <td>all</td>
          {stacks.map(({ xs, bands }, i) => (
            <td key={i}>{figure(bytesAt(xs, totalOf(bands), x))}</td>
          ))}
        </tr>
      </tbody>
    </table>
  );
}
