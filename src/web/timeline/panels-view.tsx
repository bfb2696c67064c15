import { useSignal } from '@preact/signals';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { Panels } from '../../analyses/panels/panel.ts';
import { zoomedPanels } from '../../analyses/panels/zoomed.ts';
import { type PanelsChart, panelsChart, panelsTitle } from '../../views/chart/timeline/panels.ts';
import { SaveScene } from '../parts/save-scene.tsx';
import { SceneView } from '../parts/scene-view.tsx';
import { theme } from '../theme.ts';
import { byKey, clamped, panned, type Range, zoomed } from './gestures.ts';
import { seriesLooks } from './series-looks.ts';
import { Values } from './values.tsx';

interface Props {
  readonly panels: Panels;
  readonly range: Range | null;
  readonly width: number;
  readonly panelHeight: number;
  readonly fit?: boolean;
  readonly pins?: readonly number[];
  /** Of the file that the picture is saved as. */
  readonly name: string;
  onRange(range: Range | null): void;
  onPick?(at: number): void;
}

/** A drag shorter than this is a click. */
const LEAST_DRAG = 4;

/** Panels over time: drag to zoom, shift and drag or scroll sideways to pan, click to pin. */
export function PanelsView(props: Props) {
  const { panels, width, panelHeight, fit, pins = [], onRange, onPick } = props;
  const shown: Range = props.range ?? panels.span;
  const colors = theme.value;
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
  // A signal, as the button may be let go before there was a drawing with it pressed.
  const dragged = useSignal<{ from: number; pan: Range | null } | null>(null);
  const drag = dragged.value;
  const surface = useRef<HTMLDivElement>(null);
  const place = (event: MouseEvent) => {
    const { left } = surface.current!.getBoundingClientRect();
    return Math.min(Math.max(event.clientX - left, chart.left), chart.right);
  };
  const change = (range: Range) => onRange(clamped(range, panels));
  const move = (event: PointerEvent) => {
    const to = place(event);
    const drag = dragged.peek();
    setAt(to);
    if (drag?.pan) change(panned(drag.pan, (drag.from - to) / (chart.right - chart.left)));
  };
  const up = (event: PointerEvent) => {
    const to = place(event);
    const drag = dragged.peek();
    if (drag && !drag.pan && Math.abs(to - drag.from) > LEAST_DRAG) {
      const ends = [chart.x.invert(drag.from), chart.x.invert(to)].sort((a, b) => a - b);
      change(ends as unknown as Range);
    } else if (drag && !drag.pan) onPick?.(chart.x.invert(to));
    dragged.value = null;
  };
  const wheel = (event: WheelEvent) => {
    const sideways = event.shiftKey ? event.deltaY : event.deltaX;
    if (event.ctrlKey || event.metaKey) {
      change(zoomed(shown, Math.exp(event.deltaY / 300), chart.x.invert(place(event))));
    } else if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) {
      change(panned(shown, sideways / 800));
    } else return;
    event.preventDefault();
  };
  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'p' && at !== null) return onPick?.(chart.x.invert(at));
    const range = byKey(event.key, shown, panels);
    if (range === undefined) return;
    event.preventDefault();
    onRange(range);
  };
  const bottom = chart.scene.height - 40;
  const moment = at === null ? null : chart.x.invert(at);
  return (
    <div class="panels-view">
      <div
        class="panels-surface"
        ref={surface}
        role="application"
        aria-label="Timeline: arrow keys move and zoom, 0 shows all, p pins"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys move the picture, as in a map
        tabIndex={0}
        onPointerMove={move}
        onPointerLeave={() => setAt(null)}
        onPointerDown={(event) => {
          (event.currentTarget as Element).setPointerCapture(event.pointerId);
          const pans = event.shiftKey || event.button === 1;
          dragged.value = { from: place(event), pan: pans ? shown : null };
        }}
        onPointerUp={up}
        onPointerCancel={() => {
          dragged.value = null;
        }}
        onDblClick={() => onRange(null)}
        onWheel={wheel}
        onKeyDown={key}
      >
        <SceneView scene={chart.scene}>
          <PinLines chart={chart} pins={pins} bottom={bottom} />
          {at !== null && <line class="pointer-line" x1={at} x2={at} y1={0} y2={bottom} />}
          {drag && !drag.pan && at !== null && (
            <rect
              class="drag"
              x={Math.min(drag.from, at)}
              width={Math.abs(at - drag.from)}
              y={0}
              height={bottom}
            />
          )}
        </SceneView>
        {moment !== null && !drag && (
          <div class="tip" style={tipPlace(at!, width)}>
            <Values chart={chart} data={data} at={moment} />
          </div>
        )}
      </div>
      <SaveScene scene={chart.scene} name={props.name} />
    </div>
  );
}

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
