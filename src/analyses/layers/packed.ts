import { SECOND_NS } from '../../base/time.ts';
import { type LayerHistory, layerHistories, type PartChange } from '../../model/layers/history.ts';
import type { AccountingBand } from '../../model/layers/kinds.ts';
import { origin } from '../../model/origin.ts';
import type { Recording } from '../../model/recording.ts';
import { type ProcessAccounting, processAccounting } from './accounting.ts';
import { highestIteration, type IterationMoment } from './index.ts';

/** Layer histories for a page: names here, numbers in the arrays beside it. */
export interface PackedLayers {
  readonly type: 'layer-histories';
  readonly models: readonly PackedModel[];
}

interface PackedModel {
  readonly pid: number;
  readonly rank: number | null;
  /** The iteration that held most, as an index. */
  readonly highest: number;
  /** Told for every one of so many iterations; 1 where none were left out. */
  readonly every: number;
  readonly parts: readonly { readonly name: string; readonly kind: string }[];
  readonly measure: ProcessAccounting['measure'];
  readonly oneMoment: boolean;
  readonly origin: ProcessAccounting['origin'];
  readonly bands: readonly AccountingBand[];
}

/** A model as the page reads it. */
export interface LayerModel {
  readonly history: LayerHistory;
  readonly highest: number;
  readonly every: number;
  readonly when: readonly IterationMoment[];
  readonly accounting: ProcessAccounting;
}

type Arrays = Record<string, Float64Array | Uint32Array>;

/** As many changes as a page takes at once: 24 MB. */
const MOST_CHANGES = 2_000_000;

export function packLayers(
  recording: Recording,
  most = MOST_CHANGES,
): { header: PackedLayers; arrays: Arrays } {
  const zero = origin(recording).ns;
  const arrays: Arrays = {};
  const models = layerHistories(recording).map((whole, m): PackedModel => {
    const highestOfAll = highestIteration(whole);
    const every = strideOf(whole, most);
    const kept = keptIterations(whole.iterations.length, every, highestOfAll);
    const history = every === 1 ? whole : onlyAt(whole, kept);
    const { pid, rank, iterations, parts } = history;
    const changes = parts.flatMap((part) => part.changes);
    const full = processAccounting(recording, whole);
    const at = (values: Float64Array) => Float64Array.from(kept, (i) => values[i]!);
    arrays[`${m}.seconds`] = Float64Array.from(iterations, ({ ns }) => (ns - zero) / SECOND_NS);
    arrays[`${m}.epoch`] = Float64Array.from(iterations, ({ epoch }) => epoch ?? Number.NaN);
    arrays[`${m}.iteration`] = Float64Array.from(iterations, (one) => one.iteration ?? Number.NaN);
    arrays[`${m}.changes`] = Uint32Array.from(parts, (part) => part.changes.length);
    arrays[`${m}.at`] = Uint32Array.from(changes, (change) => change.at);
    arrays[`${m}.bytes`] = Float64Array.from(changes, ({ bytes }) => bytes ?? Number.NaN);
    arrays[`${m}.measured`] = at(full.measured);
    arrays[`${m}.residue`] = at(full.residue);
    for (const { band, bytes } of full.bands) arrays[`${m}.band.${band}`] = at(bytes);
    return {
      pid,
      rank,
      highest: kept.indexOf(highestOfAll),
      every,
      parts: parts.map(({ name, kind }) => ({ name, kind })),
      measure: full.measure,
      oneMoment: full.oneMoment,
      origin: full.origin,
      bands: full.bands.map(({ band }) => band),
    };
  });
  return { header: { type: 'layer-histories', models }, arrays };
}

export function unpackLayers(
  { models }: PackedLayers,
  arrays: Readonly<Record<string, ArrayLike<number>>>,
): LayerModel[] {
  return models.map((model, m) => {
    const column = (name: string) => Float64Array.from(arrays[`${m}.${name}`] ?? []);
    const [seconds, epochs, numbers] = [column('seconds'), column('epoch'), column('iteration')];
    const [counts, ats, bytes] = [column('changes'), column('at'), column('bytes')];
    let next = 0;
    const parts = model.parts.map(({ name, kind }, p) => {
      const changes = Array.from({ length: counts[p]! }, (): PartChange => {
        const at = next++;
        return { at: ats[at]!, bytes: orNull(bytes[at]!) };
      });
      return { name, kind, changes };
    });
    const when = Array.from(seconds, (second, i) => ({
      epoch: orNull(epochs[i]!),
      iteration: orNull(numbers[i]!),
      seconds: second,
    }));
    const { pid, rank, highest, every, measure, oneMoment, origin } = model;
    const iterations = when.map(({ epoch, iteration, seconds }) => ({
      ns: seconds * SECOND_NS,
      epoch,
      iteration,
    }));
    return {
      history: { pid, rank, iterations, parts },
      highest,
      every,
      when,
      accounting: {
        pid,
        rank,
        measure,
        oneMoment,
        origin,
        seconds,
        bands: model.bands.map((band) => ({ band, bytes: column(`band.${band}`) })),
        measured: column('measured'),
        residue: column('residue'),
      },
    };
  });
}

const orNull = (value: number) => (Number.isNaN(value) ? null : value);

function strideOf({ parts }: LayerHistory, most: number): number {
  const changes = parts.reduce((sum, part) => sum + part.changes.length, 0);
  return Math.max(1, Math.ceil(changes / most));
}

/** Every n-th, the first, the last and the one that held most. */
function keptIterations(count: number, every: number, highest: number): number[] {
  const all = Array.from({ length: count }, (_, i) => i);
  return all.filter((i) => i % every === 0 || i === highest || i === count - 1);
}

/** A history as if only these iterations had been recorded. */
function onlyAt(history: LayerHistory, kept: readonly number[]): LayerHistory {
  const parts = history.parts.map((part) => {
    const changes: PartChange[] = [];
    let next = 0;
    kept.forEach((iteration, at) => {
      const from = next;
      while (next < part.changes.length && part.changes[next]!.at <= iteration) next++;
      const bytes = part.changes[next - 1]?.bytes ?? null;
      if (next > from && changes.at(-1)?.bytes !== bytes) changes.push({ at, bytes });
    });
    return { ...part, changes };
  });
  return { ...history, parts, iterations: kept.map((i) => history.iterations[i]!) };
}
