import type { OomFigures } from '../../model/out-of-memory.ts';
import type { LineStamp } from './stamp.ts';

/** What a line of output says about the run. */
export interface LineMark {
  kind: 'iteration' | 'count' | 'epoch' | 'phase' | 'note' | 'oom' | 'request';
  name: string;
  epoch?: number;
  iteration?: number;
  /** The loss, or the figure that the user's pattern took; bytes asked for in an `oom`. */
  value?: number;
  /** The line's own time of day or date and time, if it states one. */
  stamp?: LineStamp;
  oom?: OomFigures;
  /** For how long the line had been there when its end came: a progress bar ends when it is repainted. */
  ageNs?: number;
  /** To be counted, but not kept: nobody knows when it was, or there are too many. */
  uncertain?: true;
}

/** What one recogniser saw in a line; `Progress` decides whether it is news. */
export interface Sighting {
  /** Which counter this is: lines of one bar or one print statement have the same. */
  readonly counter: string;
  readonly epoch?: number;
  readonly iteration?: number;
  /** How far the counter goes, where it says so. */
  readonly total?: number;
  readonly value?: number;
  /** A counter that begins again only where a new epoch was announced (Keras). */
  readonly needsEpoch?: boolean;
  /** Something that happens at this iteration, and is no iteration itself. */
  readonly phase?: string;
}

const LOSS =
  /loss["'\])]{0,2}\s{0,4}[:= ]\s{0,4}["']?([-+]?(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})(?:e[-+]?\d{1,3})?)/i;

/** The loss that a line tells, if any. */
export function lossIn(text: string): number | undefined {
  const match = LOSS.exec(text);
  const value = match ? Number(match[1]) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}
