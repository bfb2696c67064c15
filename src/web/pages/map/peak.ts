import type { MapHeader } from '../../../analyses/allocations/map/index.ts';
import { formatBytes } from '../../../base/bytes.ts';
import type { InputInfo } from '../../../model/inputs-info.ts';
import type { Theme } from '../../../views/chart/palette.ts';
import { type PlacedPeak, placePeak } from '../../../views/chart/peak-mark.ts';
import { peakWords, stepWords } from '../../../views/chart/peak-words.ts';
import { type Door, doorsOf } from '../../parts/doors.ts';
import type { Extents } from './messages.ts';
import type { View } from './picture/x-axis.ts';

/** Where the peak of what is shown stands in a view; null where it is out of sight. */
export function mapPeak(
  header: MapHeader,
  extents: Extents,
  view: View,
  plot: { readonly width: number; readonly height: number },
  theme: Theme,
): PlacedPeak | null {
  const at = view.axis === 'time' ? extents.peakMicros : extents.peakEvent;
  if (at < view.x0 || at > view.x1) return null;
  const bytes = extents.isWhole ? header.peakRequestedBytes : extents.stackedBytes;
  const up = 1 - (bytes - view.y0) / (view.y1 - view.y0);
  const number = (extents.peakEvent + header.firstEvent).toLocaleString('en');
  const where = extents.isWhole
    ? stepWords(header.peakMoment) || `event ${number}`
    : `event ${number}, of what is shown`;
  const spot = {
    at: {
      x: ((at - view.x0) / (view.x1 - view.x0)) * plot.width,
      // By address nothing is as high as the sum of all: the line alone says when.
      y: view.order === 'address' ? 0 : Math.min(Math.max(0, up), 1) * plot.height,
    },
    words: peakWords(formatBytes(bytes), where),
    color: theme.alarm,
  };
  return placePeak(spot, { x: 0, y: 0, ...plot }, theme);
}

/** The other pages of that moment. */
export function peakDoors(
  map: { readonly run: InputInfo; readonly trace: number | null; readonly header: MapHeader },
  { peakEvent, isWhole }: Extents,
): Door[] {
  const { run, trace, header } = map;
  const { allEvents } = header;
  const events = [{ trace, event: peakEvent, isPeak: isWhole, of: allEvents }];
  const on = { clock: 'event', x: peakEvent, span: [0, allEvents] } as const;
  return doorsOf(run, { events, heap: null, on }).filter(({ words }) => words !== 'Allocations');
}
