import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { PlainPlot } from '../../views/chart/page-plots.ts';
import { SaveScene } from './save-scene.tsx';
import { SceneView } from './scene-view.tsx';

interface Props {
  readonly plot: PlainPlot;
  /** Of the file that it is saved as. */
  readonly name: string;
  /** What stands beside the pointer. */
  tip?(x: number): ComponentChildren;
  /** A stretch was drawn over with the pointer; null: all of it again, by a double click. */
  onZoom?(range: readonly [number, number] | null): void;
  onPick?(x: number): void;
}

/** A drag shorter than this is a click. */
const LEAST_DRAG = 4;

/** A picture with exact values under the pointer; a drag zooms, a click picks. */
export function PlotView({ plot, name, tip, onZoom, onPick }: Props) {
  const { scene, plot: box, x } = plot;
  const [at, setAt] = useState<number | null>(null);
  // A signal, as the button may be let go before there was a drawing with it pressed.
  const pressed = useSignal<number | null>(null);
  const from = pressed.value;
  const place = (event: PointerEvent) => {
    const { left } = (event.currentTarget as Element).getBoundingClientRect();
    return Math.min(Math.max(event.clientX - left, box.x), box.x + box.width);
  };
  const up = (event: PointerEvent) => {
    const to = place(event);
    const from = pressed.peek();
    if (from !== null && onZoom && Math.abs(to - from) > LEAST_DRAG) {
      onZoom([x.invert(Math.min(from, to)), x.invert(Math.max(from, to))]);
    } else onPick?.(x.invert(to));
    pressed.value = null;
  };
  const bottom = box.y + box.height;
  const words = at === null || from !== null ? null : tip?.(x.invert(at));
  return (
    <div class="plot-view">
      <div
        class="plot-surface"
        role="application"
        aria-label={scene.title}
        onPointerMove={(event) => setAt(place(event))}
        onPointerLeave={() => setAt(null)}
        onPointerDown={(event) => {
          pressed.value = place(event);
        }}
        onPointerUp={up}
        onPointerCancel={() => {
          pressed.value = null;
        }}
        onDblClick={() => onZoom?.(null)}
      >
        <SceneView scene={scene}>
          {at !== null && <line class="pointer-line" x1={at} x2={at} y1={box.y} y2={bottom} />}
          {from !== null && at !== null && onZoom && (
            <rect
              class="drag"
              x={Math.min(from, at)}
              width={Math.abs(at - from)}
              y={box.y}
              height={box.height}
            />
          )}
        </SceneView>
        {words && at !== null && (
          <div
            class={`tip ${at > scene.width / 2 ? 'tip-left' : ''}`}
            style={tipPlace(at, scene.width)}
          >
            {words}
          </div>
        )}
      </div>
      <SaveScene scene={scene} name={name} />
    </div>
  );
}

const tipPlace = (at: number, width: number) =>
  at > width / 2 ? { right: `${width - at + 12}px` } : { left: `${at + 12}px` };
