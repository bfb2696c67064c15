import { highestIndex } from '../../base/search.ts';
import { SECOND_NS } from '../../base/time.ts';
import { changesOf, type Growth, growth } from '../../model/layers/growth.ts';
import { type History, histories, type Iteration, sumsBy } from '../../model/layers/history.ts';
import type { Band } from '../../model/layers/kinds.ts';
import { origin } from '../../model/origin.ts';
import type { Recording } from '../../model/recording.ts';
import { account, type ProcessAccounting } from './accounting.ts';
import { kindSums, layerSums, partsAt, peakAt } from './at.ts';

export type { Growth };

/** A moment of training. */
export interface When {
  readonly epoch: number | null;
  readonly iteration: number | null;
  readonly seconds: number;
}

/** A layer or parameter, and one thing that it holds. */
export interface LayerPart {
  readonly name: string;
  readonly kind: string;
  readonly bytes: number;
  /** null where it does not only grow. */
  readonly growth: Growth | null;
}

export interface LayerSum {
  readonly layer: string;
  readonly bytes: number;
  readonly kinds: Readonly<Record<string, number>>;
}

/** What one process's model held. */
export interface ModelLayers {
  readonly pid: number;
  readonly rank: number | null;
  readonly iterations: number;
  /** The iteration that the figures are of: the one that held most. */
  readonly at: When;
  /** The most live at once in it, and at which layer; null where the profiler does not tell. */
  readonly peak: { readonly bytes: number; readonly layer: string } | null;
  readonly totals: readonly Omit<LayerPart, 'name'>[];
  /** The largest first. */
  readonly layers: readonly LayerSum[];
  readonly parts: readonly LayerPart[];
  /** When the process itself held most: what that was made of. */
  readonly accounting: AccountingAt | null;
}

export interface AccountingAt {
  readonly at: When;
  readonly measure: ProcessAccounting['measure'];
  readonly measuredBytes: number;
  readonly oneMoment: boolean;
  readonly bands: readonly { readonly band: Band; readonly bytes: number }[];
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
    models: histories(recording).map((history) => modelLayers(recording, history, zero)),
  };
}

function modelLayers(recording: Recording, history: History, zero: number): ModelLayers {
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
    accounting: accountingAt(account(recording, history), iterations, zero),
  };
}

const when = ({ ns, epoch, iteration }: Iteration, zero: number): When => ({
  epoch,
  iteration,
  seconds: (ns - zero) / SECOND_NS,
});

/** By what the profiler says was live at once, else by the sum of all parts; the first of several. */
export function highestIteration(history: History, kinds = kindSums(history)): number {
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
