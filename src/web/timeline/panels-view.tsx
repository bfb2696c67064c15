import { useMemo, useRef, useState } from 'preact/hooks';
import type { PanelPeak, Panels } from '../../analyses/panels/panel.ts';
import { zoomedPanels } from '../../analyses/panels/zoomed.ts';
import type { InputInfo } from '../../model/inputs-info.ts';
import { type PanelsChart, panelsChart, panelsTitle } from '../../views/chart/timeline/panels.ts';
import { BandRect } from '../hands/band-rect.tsx';
import type { Range } from '../hands/range.ts';
import { useHands } from '../hands/use-hands.ts';
import { useRange } from '../hands/use-range.ts';
import { KEYS_SPOKEN } from '../hands/words.ts';
import { doorsOf } from '../parts/doors.ts';
import { PeakMark } from '../parts/peak-mark.tsx';
import { SaveScene } from '../parts/save-scene.tsx';
import { SceneView } from '../parts/scene-view.tsx';
import { theme } from '../theme.ts';
import { seriesLooks } from './series-looks.ts';
import { Values } from './values.tsx';

interface Props {
  readonly run: InputInfo;
  readonly panels: Panels;
  readonly range: Range | null;
  readonly width: number;
  readonly panelHeight: number;
  readonly fit?: boolean;
  readonly pins?: readonly number[];
  /** Of the file that the picture is saved as. */
  readonly name: string;
  onRange(range: Range | null, how: 'push' | 'replace'): void;
  /** Where a stretch that is selected means something else than to zoom to it. */
  onSelect?(range: Range): void;
  /** A click; what it returns takes it back. */
  onPick?(at: number): (() => void) | undefined;
  /** Escape takes away what is chosen; false: nothing is. */
  onClear?(): boolean;
}

/** Narrower than this no reader can want: a microsecond, or a few events. */
const least = (clock: Panels['clock']) => (clock === 'event' ? 4 : 1e-6);

/** Panels over time, to be handled as every chart is; a click pins. */
export function PanelsView(props: Props) {
  const { run, panels, width, panelHeight, fit, pins = [], onPick } = props;
  const surface = useRef<HTMLDivElement>(null);
  const colors = theme.value;
  const { shown, handled } = useRange({
    range: props.range,
    whole: panels.span,
    least: least(panels.clock),
    onRange: props.onRange,
    onSelect: props.onSelect,
  });
  const data = useMemo(
    () =>
      zoomedPanels(panels, { clock: panels.clock, low: shown[0], high: shown[1], columns: width }),
    [panels, shown[0], shown[1], width],
  );
  const chart = useMemo(
    () =>
      panelsChart(data, {
        title: panelsTitle(data),
        width,
        panelHeight,
        theme: colors,
        domain: { low: shown[0], high: shown[1] },
        fit,
        look: seriesLooks(colors),
      }),
    [data, width, panelHeight, colors, fit],
  );
  const [at, setAt] = useState<number | null>(null);
  const bottom = chart.scene.height - 40;
  const { band, isDragging, handlers } = useHands({
    surface,
    ...handled,
    plot: () => ({ x: chart.left, y: 0, width: chart.right - chart.left, height: bottom }),
    hover: (point) => setAt(point?.x ?? null),
    pick: (point) => onPick?.(chart.x.invert(point.x)),
    clear: props.onClear,
  });
  const key = (event: KeyboardEvent) => {
    const isPlain = !(event.ctrlKey || event.metaKey || event.altKey);
    if (event.key === 'p' && at !== null && isPlain) onPick?.(chart.x.invert(at));
    else handlers.onKeyDown(event);
  };
  const moment = at === null ? null : chart.x.invert(at);
  return (
    <div class="panels-view">
      <div
        class="panels-surface"
        ref={surface}
        role="application"
        aria-label={`Timeline: ${KEYS_SPOKEN}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys move the picture, as in a map
        tabIndex={0}
        {...handlers}
        onKeyDown={key}
      >
        <SceneView scene={chart.scene}>
          <PinLines chart={chart} pins={pins} bottom={bottom} />
          {at !== null && <line class="pointer-line" x1={at} x2={at} y1={0} y2={bottom} />}
          {band && <BandRect band={band} y={0} height={bottom} />}
        </SceneView>
        {moment !== null && !isDragging() && (
          <div class="tip" style={tipPlace(at!, width)}>
            <Values chart={chart} data={data} at={moment} />
          </div>
        )}
        {chart.plots.map(
          ({ panel, peak }) =>
            peak && (
              <PeakMark
                key={panel.id}
                spot={peak}
                width={width}
                doors={peakDoors(run, panels, panel.peak!)}
                onOver={() => setAt(null)}
              />
            ),
        )}
      </div>
      <SaveScene scene={chart.scene} name={props.name} />
    </div>
  );
}

const peakDoors = (run: InputInfo, { clock, span }: Panels, { x, events, heap }: PanelPeak) =>
  doorsOf(run, { events, heap, on: { clock: clock === 'event' ? clock : undefined, x, span } });

const tipPlace = (at: number, width: number) =>
  at > width / 2 ? { right: `${width - at + 14}px` } : { left: `${at + 14}px` };

const PIN_NAMES = ['A', 'B'];

/** The moments that a reader pinned, over the picture. */
function PinLines(props: { chart: PanelsChart; pins: readonly number[]; bottom: number }) {
  const { chart, pins, bottom } = props;
  return (
    <g class="pins">
      {pins.map((pin, i) => {
        const at = chart.x(pin);
        if (at < chart.left || at > chart.right) return null;
        return (
          <g key={PIN_NAMES[i]}>
            <line class="pin" x1={at} x2={at} y1={0} y2={bottom} />
            <rect class="pin-flag" x={at} y={bottom - 16} width={16} height={16} />
            <text class="pin-name" x={at + 8} y={bottom - 4} text-anchor="middle">
              {PIN_NAMES[i]}
            </text>
          </g>
        );
      })}
    </g>
  );
}
