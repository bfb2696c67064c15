import { useEffect, useRef, useState } from 'preact/hooks';
import type { MapHeader } from '../../../analyses/allocations/map/index.ts';
import type { InputInfo } from '../../../model/inputs-info.ts';
import { DARK, type Theme } from '../../../views/chart/palette.ts';
import type { Point } from '../../../views/chart/scene.ts';
import type { Pace } from '../../hands/use-hands.ts';
import { KEYS_SPOKEN } from '../../hands/words.ts';
import { PeakMark } from '../../parts/peak-mark.tsx';
import { MARGIN, MapAxes, plotSize } from './axes.tsx';
import { type HitFacts, MapClient, type MapColumns } from './client.ts';
import type { Extents } from './messages.ts';
import { useNavigation } from './navigation.ts';
import { mapPeak, peakDoors } from './peak.ts';
import type { Filter } from './picture/filter.ts';
import type { View } from './picture/x-axis.ts';
import { SaveMap } from './save.tsx';
import { MapTip } from './tip.tsx';

interface Props {
  readonly loaded: MapColumns;
  readonly header: MapHeader;
  readonly theme: Theme;
  readonly filter: Filter;
  /** What the address says. */
  readonly wanted: (extents: Extents) => View;
  /** A row; -1: none. */
  readonly chosen: number;
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly run: InputInfo;
  /** Which of the run's traces; null: the one that is shown by itself. */
  readonly trace: number | null;
  onView(view: View, pace: Pace): void;
  onExtents(extents: Extents): void;
  onChoose(found: HitFacts): void;
  /** Nothing is chosen any more; false: nothing was. */
  onUnchoose(): boolean;
  onClient(client: MapClient | null): void;
}

const KEYS_HELP = `Map of allocations: ${KEYS_SPOKEN}, [ and ] zoom in bytes`;

/** The picture with its axes and what lies under the pointer. */
export function MapSurface(props: Props) {
  const { loaded, header, theme, filter, chosen, width, height } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const client = useRef<MapClient | null>(null);
  const [extents, setExtents] = useState<Extents | null>(null);
  const [view, setView] = useState<View | null>(null);
  const [found, setFound] = useState<HitFacts | null>(null);
  const [pointer, setPointer] = useState<Point | null>(null);
  const current = useRef<View | null>(null);
  const plot = plotSize(width, height);
  const scale = globalThis.devicePixelRatio || 1;
  const scheme = theme === DARK ? 'dark' : 'light';

  useEffect(() => {
    const frame = (sharp: boolean, drawn: number) => count(canvas.current, sharp, drawn);
    const listener = { extents: setExtents, frame };
    const made = new MapClient(loaded, canvas.current!, { filter, scheme }, listener);
    client.current = made;
    props.onClient(made);
    return () => {
      props.onClient(null);
      made.close();
    };
  }, [loaded]);
  useEffect(() => {
    client.current?.resize(Math.round(plot.width * scale), Math.round(plot.height * scale));
  }, [plot.width, plot.height, scale]);
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) client.current?.look(filter, scheme);
    isFirst.current = false;
  }, [JSON.stringify(filter), scheme]);
  useEffect(() => client.current?.choose(chosen), [chosen]);

  const go = (next: View) => {
    current.current = next;
    setView(next);
    client.current?.show(next);
  };
  // The address leads: a link, a reload, the back button. A drag only runs ahead of it.
  const asked = extents ? props.wanted(extents) : null;
  useEffect(() => {
    if (extents) props.onExtents(extents);
    if (asked) go(asked);
  }, [JSON.stringify(asked), extents]);

  // One question at a time: a pointer moves faster than anybody reads.
  const asking = useRef(false);
  const hover = async (at: Point | null) => {
    setPointer(at);
    if (!at) return setFound(null);
    if (asking.current || !client.current) return;
    asking.current = true;
    const began = performance.now();
    const answer = await client.current.at(at.x * scale, at.y * scale);
    asking.current = false;
    if (canvas.current) canvas.current.dataset.hover = String(performance.now() - began);
    setFound(answer);
  };
  const { band, isDragging, handlers } = useNavigation({
    ...{ canvas, current, extents, plot, hover },
    move: (next, pace) => {
      go(next);
      props.onView(next, pace);
    },
    choose: (at) => void client.current?.at(at.x * scale, at.y * scale).then(props.onChoose),
    unchoose: () => void props.onUnchoose(),
    clear: props.onUnchoose,
  });
  const peak = view && extents && mapPeak(header, extents, view, plot, theme);
  const doors = extents ? peakDoors(props, extents) : [];

  return (
    <div class="map-surface" style={{ width: `${width}px`, height: `${height}px` }}>
      <canvas
        ref={canvas}
        class="map-canvas"
        tabIndex={0}
        role="img"
        aria-label={KEYS_HELP}
        style={{
          left: `${MARGIN.left}px`,
          top: `${MARGIN.top}px`,
          width: `${plot.width}px`,
          height: `${plot.height}px`,
        }}
        {...handlers}
      />
      {view && extents && (
        <MapAxes
          {...{ view, width, height, theme, pointer, band, peak }}
          firstEvent={header.firstEvent}
        />
      )}
      {peak && (
        <div class="map-peak" style={{ left: `${MARGIN.left}px`, top: `${MARGIN.top}px` }}>
          <PeakMark spot={peak} width={plot.width} doors={doors} onOver={() => void hover(null)} />
        </div>
      )}
      {found && pointer && !isDragging() && (
        <MapTip found={found} at={pointer} plot={plot} header={header} />
      )}
      <SaveMap canvas={canvas} name={props.name} scheme={scheme} />
    </div>
  );
}

/** For measurements, and for whoever waits until there is something to see. */
function count(element: HTMLElement | null, sharp: boolean, drawn: number): void {
  if (!element) return;
  const { dataset } = element;
  dataset.frames = String(Number(dataset.frames ?? 0) + 1);
  dataset.drawn = String(drawn);
  if (sharp) dataset.sharp = String(Number(dataset.sharp ?? 0) + 1);
  else delete dataset.still;
  if (sharp) dataset.still = 'true';
}
