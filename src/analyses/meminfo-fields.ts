import { SECOND_NS } from '../base/time.ts';
import { type Origin, origin } from '../model/origin.ts';
import type { Recording } from '../model/recording.ts';

/** One column of the host table over time; NaN where it was not measured. */
export interface MeminfoField {
  readonly name: string;
  readonly unit: 'bytes' | 'count';
  readonly values: Float64Array;
  readonly min: number;
  readonly max: number;
}

/** Every field of /proc/meminfo, as the kernel of that machine had them. */
export interface MeminfoFields {
  readonly type: 'fields';
  readonly origin: Origin['is'];
  readonly seconds: Float64Array;
  readonly fields: readonly MeminfoField[];
  /** Fields that were zero throughout: nothing to see, but not to be forgotten either. */
  readonly zero: readonly string[];
}

/** Not the kernel's: written by importers and by the recorder. */
const OWN = new Set(['time', 'used', 'recorder_anon']);

export function meminfoFields(recording: Recording): MeminfoFields {
  const host = recording.table('host');
  const zeroNs = origin(recording);
  const found: MeminfoField[] = [];
  const zero: string[] = [];
  for (const { name, unit } of host.spec.columns) {
    if (OWN.has(name)) continue;
    const values = host.f64(name);
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    for (const value of values) {
      if (value < min) min = value;
      if (value > max) max = value;
    }
    if (min > max) continue;
    if (min === 0 && max === 0) zero.push(name);
    else found.push({ name, unit: unit === 'count' ? 'count' : 'bytes', values, min, max });
  }
  return {
    type: 'fields',
    origin: zeroNs.is,
    seconds: host.f64('time').map((ns) => (ns - zeroNs.ns) / SECOND_NS),
    fields: found,
    zero,
  };
}
