import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { PlainPlot } from '../../views/chart/page-plots.ts';
import type { PlacedPeak } from '../../views/chart/peak-mark.ts';
import { BandRect } from '../hands/band-rect.tsx';
import { type Handled, useHands } from '../hands/use-hands.ts';
import { KEYS_SPOKEN } from '../hands/words.ts';
import type { Door } from './doors.ts';
import { PeakMark } from './peak-mark.tsx';
import { SaveScene } from './save-scene.tsx';
import { SceneView } from './scene-view.tsx';

interface Props {
  readonly plot: PlainPlot;
  /** Of the file that it is saved as. */
  readonly name: string;
  /** What stands beside the pointer. */
  tip?(x: number): ComponentChildren;
  /** What hands do to it, where there is something to come closer to. */
  readonly handled?: Pick<Handled, 'zoom' | 'grab' | 'select' | 'reset'>;
  onPick?(x: number): void;
  /** Where the peaks of the picture lead to. */
  doors?(peak: PlacedPeak): readonly Door[];
  /** Or what a click on one does here. */
  onPeak?(): void;
}

/** For a picture that shows all there is, however it is handled. */
const STILL: NonNullable<Props['handled']> = {
  zoom: () => false,
  grab: () => () => false,
  select: () => {},
  reset: () => {},
};

/** A picture with exact values under the pointer, to be handled as every chart is. */
export function PlotView({ plot, name, tip, handled, onPick, doors, onPeak }: Props) {
  const { scene, plot: box, x } = plot;
  const surface = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | null>(null);
  const { band, isDragging, handlers } = useHands({
    surface,
    ...(handled ?? STILL),
    plot: () => box,
    hover: (point) => setAt(point?.x ?? null),
    pick: (point) => {
      onPick?.(x.invert(point.x));
      return undefined;
    },
  });
  const { onKeyDown, ...pointers } = handlers;
  const bottom = box.y + box.height;
  const words = at === null || isDragging() ? null : tip?.(x.invert(at));
  return (
    <div class="plot-view">
      <div
        class="plot-surface"
        ref={surface}
        role="application"
        aria-label={handled ? `${scene.title}: ${KEYS_SPOKEN}` : scene.title}
        tabIndex={handled ? 0 : undefined}
        {...pointers}
        onKeyDown={handled && onKeyDown}
      >
        <SceneView scene={scene}>
          {at !== null && <line class="pointer-line" x1={at} x2={at} y1={box.y} y2={bottom} />}
          {band && handled && <BandRect band={band} y={box.y} height={box.height} />}
        </SceneView>
        {words && at !== null && (
          <div
            class={`tip ${at > scene.width / 2 ? 'tip-left' : ''}`}
            style={tipPlace(at, scene.width)}
          >
            {words}
          </div>
        )}
        {plot.peaks.map((peak) => (
          <PeakMark
            key={peak.words}
            spot={peak}
            width={scene.width}
            doors={doors?.(peak) ?? []}
            go={onPeak}
            onOver={() => setAt(null)}
          />
        ))}
      </div>
      <SaveScene scene={scene} name={name} />
    </div>
  );
}

const tipPlace = (at: number, width: number) =>
  at > width / 2 ? { right: `${width - at + 12}px` } : { left: `${at + 12}px` };
