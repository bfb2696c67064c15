import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formatBytes } from '../../../base/bytes.ts';
import { percent } from '../../../base/text.ts';
import { RANK_ENDS } from '../../../model/job/summary.ts';
import { heatColors } from '../../../views/chart/palette.ts';
import { timeWords } from '../../../views/chart/peak-words.ts';
import { timeScale } from '../../../views/chart/time-scale.ts';
import { numberIn, type Range } from '../../hands/range.ts';
import { useHands } from '../../hands/use-hands.ts';
import { useRange } from '../../hands/use-range.ts';
import { KEYS_SPOKEN } from '../../hands/words.ts';
import { useWidth } from '../../parts/width.ts';
import { theme } from '../../theme.ts';
import type { PageProps } from '../page.ts';
import {
  fullBytes,
  NEARLY_FULL,
  pixels,
  type RankMap,
  type Sort,
  sortedRows,
  under,
} from './picture.ts';

interface Props extends Pick<PageProps, 'state' | 'setState'> {
  readonly map: RankMap;
  readonly sort: Sort;
}

const STEPS = 64;
const LEAST_ROWS = 8;
const LEAST_BINS = 8;
/** Few ranks have tall rows, many are put together in a row of pixels. */
const heightOf = (rows: number) => Math.min(640, Math.max(260, rows * 3));

/** Ranks by time: how full the card, or the limit, of each was. */
export function HeatMapView({ map, sort, state, setState }: Props) {
  const { header } = map;
  const [box, width] = useWidth<HTMLDivElement>();
  const surface = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [at, setAt] = useState<{ x: number; y: number } | null>(null);
  const height = heightOf(header.rows);
  const order = useMemo(() => sortedRows(map, sort), [map, sort]);
  const full = useMemo(() => fullBytes(map), [map]);
  const time = useRange({
    whole: [0, header.bins],
    least: LEAST_BINS,
    range: rangeIn(state.from, state.to),
    onRange: (next, how) => setState({ from: next?.[0], to: next?.[1] }, how),
  });
  const rows = useRange({
    whole: [0, header.rows],
    least: Math.min(LEAST_ROWS, header.rows),
    range: rangeIn(state.first, state.last),
    onRange: (next, how) => setState({ first: next?.[0], last: next?.[1] }, how),
  });
  const { handlers, isDragging } = useHands({
    surface,
    plot: () => ({ x: 0, y: 0, width, height }),
    zoom: (share, by, pace) => {
      const across = time.handled.zoom(share, by, pace);
      // Both at once; with Alt rows alone, as everywhere.
      const factor = by.x === 1 ? by.y : by.x;
      const down = rows.handled.zoom({ x: 1 - share.y, y: 0 }, { x: factor, y: 1 }, pace);
      return across || down;
    },
    grab: () => {
      const [across, down] = [time.handled.grab(), rows.handled.grab()];
      return (by, pace, zoom) => {
        const moved = across(by, pace, zoom);
        const other = down(
          { x: -by.y, y: 0 },
          pace,
          zoom && { factor: zoom.factor, at: { x: 1 - zoom.at.y, y: 0 } },
        );
        return moved || other;
      };
    },
    select: time.handled.select,
    reset: () => {
      time.handled.reset();
      rows.handled.reset();
    },
    hover: setAt,
  });
  const colors = theme.value;
  const [shownTime, shownRows] = [time.shown, rows.shown];
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context || width <= 0) return;
    const shares = pixels(map, order, { width, height, time: shownTime, rows: shownRows });
    const scale = heatColors(colors, STEPS);
    const alarm = rgb(colors.alarm);
    const image = context.createImageData(width, height);
    for (const [i, share] of shares.entries()) {
      if (share < 0) continue;
      const step = Math.min(STEPS - 1, Math.floor(share * STEPS));
      const [red, green, blue] = share >= NEARLY_FULL ? alarm : scale[step]!;
      image.data.set([red, green, blue, 255], i * 4);
    }
    context.putImageData(image, 0, 0);
  }, [map, order, width, height, colors, shownTime.join(), shownRows.join()]);
  const secondsAt = (x: number) => {
    const bin = shownTime[0] + (x / width) * (shownTime[1] - shownTime[0]);
    return { bin, seconds: header.startSeconds + bin * header.binSeconds };
  };
  const words = at && !isDragging() ? tip(at) : null;
  const ends = { low: secondsAt(0).seconds, high: secondsAt(width).seconds };
  const times = width > 0 ? timeScale(ends, 0, width) : null;
  return (
    <div ref={box} class="heat-map">
      <div
        ref={surface}
        class="heat-surface"
        role="application"
        aria-label={`Memory of ${header.rows} ranks over time: ${KEYS_SPOKEN}`}
        tabIndex={header.rows > 0 ? 0 : undefined}
        style={{ height: `${height}px` }}
        {...handlers}
      >
        <canvas ref={canvas} width={width} height={height} data-test="heat-map" />
        {words && at && (
          <div
            class="tip"
            style={{
              top: `${Math.min(at.y + 14, height - 70)}px`,
              ...(at.x > width / 2
                ? { right: `${width - at.x + 12}px` }
                : { left: `${at.x + 12}px` }),
            }}
          >
            {words.map((line) => (
              <div key={line}>{line}</div>
            ))}
          </div>
        )}
      </div>
      <div class="heat-times muted" data-test="heat-times">
        {times?.axis.major.map(({ value, label }) => (
          <span key={label} style={{ left: `${times.x(value)}px` }}>
            {label}
          </span>
        ))}
      </div>
      {times && <p class="muted">{`${times.axis.unit} from the job's start`}</p>}
      <p class="muted">{rowWords(shownRows, height)}</p>
    </div>
  );

  function tip({ x, y }: { x: number; y: number }): string[] {
    const { bin, seconds } = secondsAt(x);
    const perPixel = (shownRows[1] - shownRows[0]) / height;
    const top = shownRows[0] + Math.floor(y) * perPixel;
    const found = under(map, order, { bin, rows: [top, top + perPixel] });
    if (!found) return [];
    const { row, bytes, among } = found;
    const rank = map.u32('rank')[row]!;
    const node = header.nodes[map.u32('node')[row]!]!.slice(0, 60);
    const ended = RANK_ENDS[map.u8('ended')[row]!] ?? '';
    const held = Number.isNaN(bytes)
      ? 'not measured then'
      : `${formatBytes(bytes)} of ${formatBytes(full[row]!)}, ${percent(bytes / full[row]!)}`;
    return [
      `${rank === 0xffff_ffff ? 'no rank' : `rank ${rank}`} on ${node} (${ended})`,
      `${timeWords(seconds)}: ${held}`,
      `its peak: ${formatBytes(map.f64('peak')[row]!)}`,
      ...(among > 1 ? [`the fullest of ${among} ranks here`] : []),
    ];
  }
}

const rangeIn = (low: string | undefined, high: string | undefined): Range | null => {
  const [from, to] = [numberIn(low), numberIn(high)];
  return from !== null && to !== null && to > from ? [from, to] : null;
};

function rowWords([first, last]: Range, height: number): string {
  const [from, to] = [Math.floor(first) + 1, Math.ceil(last)];
  const together = (last - first) / height;
  const shared =
    together > 1
      ? `; a line of pixels shows the fullest of ${Math.ceil(together)} ranks, so that no maximum is lost`
      : '';
  return `rows ${from} to ${to}, from top to bottom${shared}. The wheel zooms at the pointer, a drag moves, a double click shows all.`;
}

const rgb = (color: string) =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as [number, number, number];
