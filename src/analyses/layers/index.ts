import { highestIndex } from '../../base/search.ts';
import { SECOND_NS } from '../../base/time.ts';
import { changesOf, type Growth, growth } from '../../model/layers/growth.ts';
import {
  type Iteration,
  type LayerHistory,
  layerHistories,
  sumsBy,
} from '../../model/layers/history.ts';
import type { AccountingBand } from '../../model/layers/kinds.ts';
import { origin } from '../../model/origin.ts';
import type { Recording } from '../../model/recording.ts';
import { type ProcessAccounting, processAccounting } from './accounting.ts';
import {
  kindSums,
  type LayerPart,
  type LayerSum,
  type LivePeak,
  layerSums,
  partsAt,
  peakAt,
} from './layers-at.ts';

export type { Growth, LayerPart, LayerSum };

/** A moment of training. */
export interface IterationMoment {
  readonly epoch: number | null;
  readonly iteration: number | null;
  readonly seconds: number;
}

/** What one process's model held. */
export interface ModelLayers {
  readonly pid: number;
  readonly rank: number | null;
  readonly iterations: number;
  /** The iteration that the figures are of: the one that held most. */
  readonly at: IterationMoment;
  /** null where the profiler does not tell. */
  readonly peak: LivePeak | null;
  readonly totals: readonly Omit<LayerPart, 'name'>[];
  /** The largest first. */
  readonly layers: readonly LayerSum[];
  readonly parts: readonly LayerPart[];
  /** When the process itself held most: what that was made of. */
  readonly accounting: AccountingAt | null;
}

export interface AccountingAt {
  readonly at: IterationMoment;
  readonly measure: ProcessAccounting['measure'];
  readonly measuredBytes: number;
  readonly oneMoment: boolean;
  readonly bands: readonly { readonly band: AccountingBand; readonly bytes: number }[];
  readonly residueBytes: number;
}

export interface Layers {
  readonly type: 'layers';
  readonly models: readonly ModelLayers[];
}

/** Bytes of each layer and kind at the iteration that held most, and what grows. */
export function layers(recording: Recording): Layers {
  const zero = origin(recording).ns;
  return {
    type: 'layers',
    models: layerHistories(recording).map((history) => modelLayers(recording, history, zero)),
  };
}

function modelLayers(recording: Recording, history: LayerHistory, zero: number): ModelLayers {
  const { pid, rank, iterations } = history;
  const kinds = kindSums(history);
  const at = highestIteration(history, kinds);
  const parts = partsAt(history, at);
  return {
    pid,
    rank,
    iterations: iterations.length,
    at: when(iterations[at]!, zero),
    peak: peakAt(history, at),
    totals: kinds.map(([kind, values]) => ({
      kind,
      bytes: values[at]!,
      growth: growth(changesOf(values), iterations.length),
    })),
    layers: layerSums(parts),
    parts,
    accounting: accountingAt(processAccounting(recording, history), iterations, zero),
  };
}

const when = ({ ns, epoch, iteration }: Iteration, zero: number): IterationMoment => ({
  epoch,
  iteration,
  seconds: (ns - zero) / SECOND_NS,
});

/** By what the profiler says was live at once, else by the sum of all parts; the first of several. */
export function highestIteration(history: LayerHistory, kinds = kindSums(history)): number {
  const peaks = sumsBy(history, ({ kind }) => (kind === 'peak' ? kind : null)).get('peak');
  if (peaks) return highestIndex(peaks);
  const all = new Float64Array(history.iterations.length);
  for (const [, values] of kinds) for (const [i, bytes] of values.entries()) all[i]! += bytes;
  return highestIndex(all);
}

function accountingAt(
  { measure, measured, oneMoment, bands, residue }: ProcessAccounting,
  iterations: readonly Iteration[],
  zero: number,
): AccountingAt | null {
  const top = highestIndex(measured);
  if (top < 0) return null;
  return {
    at: when(iterations[top]!, zero),
    measure,
    measuredBytes: measured[top]!,
    oneMoment,
    bands: bands.map(({ band, bytes }) => ({ band, bytes: bytes[top]! })),
    residueBytes: residue[top]!,
  };
}
