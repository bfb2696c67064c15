import type { WhatIfRow } from '../../../analyses/allocations/what-if/rows.ts';
import type { WhatIfView } from '../../../analyses/allocations/what-if/view.ts';
import { formatBytes } from '../../../base/bytes.ts';
import type { Columns } from '../../../model/columns.ts';
import type { PlacedPeak } from '../../../views/chart/peak-mark.ts';
import type { WhatIfCurves } from '../../../views/chart/what-if/curves.ts';
import { looksOf, whatIfPlot, wholeOf } from '../../../views/chart/what-if/plot.ts';
import { diesWords } from '../../../views/what-if/columns.ts';
import { rangeIn } from '../../hands/range.ts';
import { useRange } from '../../hands/use-range.ts';
import { doorsOf } from '../../parts/doors.ts';
import { HandsHint } from '../../parts/help.tsx';
import { PlotView } from '../../parts/plot-view.tsx';
import { useWidth } from '../../parts/width.ts';
import { theme } from '../../theme.ts';
import type { PageProps } from '../page.ts';

const HEIGHT = 340;

interface Props extends Pick<PageProps, 'run' | 'state' | 'setState'> {
  readonly view: Columns<WhatIfView>;
  readonly row: WhatIfRow;
  readonly name: string;
}

/** What the recorded run reserved and what it would have under the chosen settings. */
export function CurveView(props: Props) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const curves = curvesOf(props.view, props.row);
  if (!curves) return null;
  return (
    <div ref={ref} data-test="what-if-curves">
      <Curves {...props} curves={curves} width={width} />
      <p class="muted">
        <HandsHint />
      </p>
    </div>
  );
}

/** Fewer events than a stretch cannot be told apart. */
const FEWEST = 8;

function Curves(props: Props & { curves: WhatIfCurves; width: number }) {
  const { run, state, setState, curves, width, name } = props;
  const whole = wholeOf(curves);
  const { shown, handled } = useRange({
    range: rangeIn(state),
    whole: [whole.low, whole.high],
    least: FEWEST * curves.stretch,
    onRange: (range, how) => setState({ from: range?.[0], to: range?.[1] }, how),
  });
  const domain = { low: shown[0], high: shown[1] };
  const plot = whatIfPlot(curves, { width, height: HEIGHT, theme: theme.value, domain });
  const doors = ({ at }: PlacedPeak) => {
    const event = Math.max(0, Math.floor(plot.x.invert(at.x)) - curves.firstEvent);
    const trace = state.trace === undefined ? null : Number(state.trace);
    const events = [{ trace, event, isPeak: false, of: curves.events }];
    return doorsOf(run, { events, heap: null, on: null });
  };
  return (
    <PlotView
      plot={plot}
      name={name}
      handled={handled}
      doors={doors}
      tip={(x) => <Values curves={curves} x={x} />}
    />
  );
}

function Values({ curves, x }: { curves: WhatIfCurves; x: number }) {
  const { recorded, replayed, stretch, firstEvent, events } = curves;
  const event = Math.min(Math.max(0, Math.floor(x - firstEvent)), Math.max(0, events - 1));
  const at = Math.floor(event / stretch);
  const looks = looksOf(theme.value);
  const rows = [
    ['recorded', looks.recorded.color, recorded.reserved[at]],
    ['with these settings', looks.replayed.color, replayed.reserved[at]],
    ['in use', looks.inUse.color, recorded.inUse[at]],
  ] as const;
  const first = firstEvent + at * stretch;
  const last = firstEvent + Math.min((at + 1) * stretch, events) - 1;
  const number = (value: number) => value.toLocaleString('en');
  return (
    <>
      <strong>
        {last > first
          ? `the most in events ${number(first)} to ${number(last)}`
          : `event ${number(first)}`}
      </strong>
      {rows.map(([name, color, bytes]) => (
        <div key={name}>
          <span class="swatch" style={{ background: color }} /> {name}{' '}
          {bytes === undefined ? '–' : formatBytes(bytes)}
        </div>
      ))}
    </>
  );
}

function curvesOf(view: Columns<WhatIfView>, row: WhatIfRow): WhatIfCurves | null {
  const { answer, firstEvent, stretch } = view.header;
  const place = answer.rows.indexOf(row);
  if (!view.arrays[`${place}.reserved`]) return null;
  return {
    ...{ words: wordsOf(row, answer.card?.name), events: answer.events, firstEvent, stretch },
    recorded: {
      reserved: view.f64('recorded.reserved'),
      inUse: view.f64('recorded.inUse'),
      failed: view.u32('recorded.failed'),
    },
    replayed: { reserved: view.f64(`${place}.reserved`), retries: view.u32(`${place}.retries`) },
    dies: diesOf(row, firstEvent),
    limit: limitOf(view.header, row),
  };
}

function wordsOf({ conf, isRecorded, limitBytes }: WhatIfRow, card: string | undefined): string {
  if (card !== undefined) return `with ${conf} on ${card}`;
  if (limitBytes !== null) return `with ${conf} within ${formatBytes(limitBytes)}`;
  return isRecorded ? 'replayed with its own settings' : `with ${conf}`;
}

function diesOf({ diesAt, outcomeAtMost }: WhatIfRow, firstEvent: number): WhatIfCurves['dies'] {
  if (!diesAt) return null;
  // The line of the program stands in the table.
  const words = diesWords({ ...diesAt, where: null });
  return {
    event: diesAt.event < 0 ? -1 : diesAt.event - firstEvent,
    words: outcomeAtMost === 'runs' ? `with the lowest limit it can have been, ${words}` : words,
  };
}

function limitOf({ answer }: WhatIfView, { limitBytes }: WhatIfRow): WhatIfCurves['limit'] {
  const { card, recorded } = answer;
  if (card) return { bytes: card.usableBytes, words: `left for torch on ${card.name}` };
  if (limitBytes !== null) return { bytes: limitBytes, words: 'limit' };
  if (recorded.limitBytes === null) return null;
  return { bytes: recorded.limitBytes, words: 'what the recorded run could reserve' };
}
