import { max } from 'd3-array';
import { baselineOf } from '../../model/baseline.ts';
import type { Recording } from '../../model/recording.ts';
import { type Series, series } from '../../model/series.ts';
import { layerFigures } from './layer-figures.ts';
import { phaseFigures } from './phase-figures.ts';
import type { FitRun, InUse, Measures } from './question.ts';

/** The peaks of one recording, and what was taken by others meanwhile. */
export interface RecordingFigures {
  readonly figures: FitRun['figures'];
  readonly besideBytes: number;
}

/** In use above what was there before: all that can be called the run's where nobody lists processes. */
const ABOVE = 'above baseline';
/** What is held without the allocator's cache. */
export const LIVE = 'without cache';

/** `name` is the series in which the runs are held against each other. */
export function recordingFigures(recording: Recording, name: string): RecordingFigures | null {
  const all = series(recording, name);
  if (!all) return null;
  const gpu = /^(gpu\d+)\.used$/.exec(name)?.[1];
  const tree = gpu ? series(recording, `${gpu}.tree`) : null;
  const own = tree && peakOf(tree) > 0 ? tree : null;
  const held = own ?? above(all);
  const layers = layerFigures(recording);
  const cached = layers?.cachedBytes ?? 0;
  return {
    figures: {
      [held.name]: peakOf(held),
      ...(own ? { [name]: peakOf(all) } : {}),
      ...(cached > 0 ? { [LIVE]: peakOf(held) - cached } : {}),
      ...layers?.atPeak,
      ...phaseFigures(recording, held),
    },
    besideBytes: beside(recording, all, own),
  };
}

const peakOf = ({ values }: Series) => max(values) ?? 0;

/** A tree is all its own; of a card or a machine, what came on top. */
function above(all: Series): Series {
  const baseline = baselineOf(all);
  if (baseline === 0) return all;
  return {
    ...all,
    name: `${all.name} ${ABOVE}`,
    values: all.values.map((value) => value - baseline),
  };
}

/** Taken by others: of a card also what its driver keeps; of a machine what was in use before. */
function beside(recording: Recording, all: Series, own: Series | null): number {
  if (!/^gpu/.test(all.name)) {
    const host = series(recording, 'host.used');
    return host ? baselineOf(host) : 0;
  }
  const table = recording.table('gpu');
  const [cards, reserved] = [table.u32('gpu'), table.f64('reserved')];
  const card = Number(/\d+/.exec(all.name)![0]);
  const kept =
    max(reserved.filter((value, row) => cards[row] === card && !Number.isNaN(value))) ?? 0;
  return kept + (own ? Math.max(0, peakOf(all) - peakOf(own)) : baselineOf(all));
}

/** What the figures of all runs together mean; `name` as above. */
export function measuresOf(
  all: readonly RecordingFigures[],
  name: string,
): { measures: Measures; inUse: InUse } {
  const names = [...new Set(all.flatMap(({ figures }) => Object.keys(figures)))];
  const inAll = (figure: string) => all.every(({ figures }) => figures[figure] !== undefined);
  const held = names.find(inAll) ?? names[0]!;
  const live = names.includes(LIVE) ? LIVE : null;
  const bytes = max(all, ({ besideBytes }) => besideBytes) ?? 0;
  const what = /^gpu/.test(name) ? "others and the driver's own" : 'in use before the runs began';
  return {
    measures: { held, live, others: names.filter((figure) => figure !== held && figure !== live) },
    inUse: { bytes, what },
  };
}
