import { SECOND_NS } from '../../base/time.ts';
import { type History, histories, sumsBy } from '../../model/layers/history.ts';
import { BANDS, type Band, bandOf, isLive } from '../../model/layers/kinds.ts';
import { type Origin, origin } from '../../model/origin.ts';
import type { Recording } from '../../model/recording.ts';
import { type Measured, measured } from './measured.ts';

/** The memory of one process over its iterations: measured = Σ bands + residue. */
export interface ProcessAccounting {
  readonly pid: number;
  readonly rank: number | null;
  readonly measure: Measured['measure'];
  /** Whether the parts are those of one moment; else each at its own highest, together too much. */
  readonly oneMoment: boolean;
  readonly seconds: Float64Array;
  /** What `seconds` counts from. */
  readonly origin: Origin['is'];
  readonly bands: readonly { readonly band: Band; readonly bytes: Float64Array }[];
  /** NaN where nothing was measured. */
  readonly measured: Float64Array;
  /** What no part explains; negative where they add up to more than was measured. */
  readonly residue: Float64Array;
}

export interface Accounting {
  readonly type: 'accounting';
  readonly processes: readonly ProcessAccounting[];
}

/** What the memory of each process that tells of its model is made of, over time. */
export function accounting(recording: Recording): Accounting {
  return {
    type: 'accounting',
    processes: histories(recording).map((history) => account(recording, history)),
  };
}

export function account(recording: Recording, history: History): ProcessAccounting {
  const zero = origin(recording);
  const { pid, rank, iterations, parts } = history;
  const oneMoment = parts.some(({ kind }) => kind === 'at_peak');
  const sums = sumsBy(history, ({ kind, name }) => {
    if (kind === 'cached' || kind === 'context') {
      const said = parts.some((part) => part.kind === 'at_peak' && part.name === kind);
      return said ? null : kind;
    }
    if (oneMoment) return kind === 'at_peak' ? bandOf(name) : null;
    return isLive(kind) ? bandOf(kind) : null;
  });
  const bands = BANDS.flatMap((band) => {
    const bytes = sums.get(band);
    return bytes?.some((value) => value > 0) ? [{ band, bytes }] : [];
  });
  const { measure, bytes } = measured(recording, history);
  const residue = bytes.map((value, i) =>
    bands.reduce((rest, band) => rest - band.bytes[i]!, value),
  );
  return {
    pid,
    rank,
    measure,
    oneMoment,
    seconds: Float64Array.from(iterations, ({ ns }) => (ns - zero.ns) / SECOND_NS),
    origin: zero.is,
    bands,
    measured: bytes,
    residue,
  };
}
