import { SECOND_NS } from '../base/time.ts';
import {
  type CacheCourse,
  type CacheHolder,
  cacheGrowth,
  cacheHolders,
} from '../model/cache-holders.ts';
import { origin } from '../model/origin.ts';
import type { Recording } from '../model/recording.ts';
import { type ServedUnit, servedCount } from '../model/served-count.ts';

/** Tensors that a program kept, and that became more as it served: by who holds them. */
export interface Cache {
  readonly pid: number;
  readonly holder: string;
  /** `OrderedDict`; `torch.Tensor` where one tensor becomes larger. */
  readonly container: string;
  readonly device: string;
  /** At the last look. */
  readonly entries: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly course: CacheCourse;
  /** Since it was first seen. */
  readonly grownBytes: number;
  readonly overSeconds: number;
  readonly looks: number;
  /** Bytes for each of what the program served in that time; null: none was counted. */
  readonly each: {
    readonly unit: ServedUnit;
    readonly bytes: number;
    readonly count: number;
  } | null;
}

/** Fewer than this say nothing of what each takes. */
const FEWEST_SERVED = 3;

/** Those that hold most first; what has been let go of by its last look is none. `unit`: what is counted of this program; null: nothing. */
export function caches(recording: Recording, unit: ServedUnit | null): Cache[] {
  const held = cacheHolders(recording).filter(({ course }) => course !== 'let-go');
  if (held.length === 0) return [];
  const served = unit && servedCount(recording, unit);
  const zero = origin(recording).ns;
  return held.map((one) => {
    const { pid, holder, container, device, course, looks } = one;
    const { bytes: grownBytes, seconds: overSeconds } = cacheGrowth(one);
    const last = looks.at(-1)!;
    return {
      ...{ pid, holder, container, device, entries: last.entries, bytes: last.bytes },
      ...{ seconds: (last.ns - zero) / SECOND_NS, course, grownBytes, overSeconds },
      looks: looks.length,
      each: unit && served && course === 'grows' ? eachOf(one, unit, served) : null,
    };
  });
}

function eachOf(one: CacheHolder, unit: ServedUnit, served: (ns: number) => number): Cache['each'] {
  const [first, last] = [one.looks[0]!, one.looks.at(-1)!];
  const count = served(last.ns) - served(first.ns);
  return count >= FEWEST_SERVED ? { unit, count, bytes: (last.bytes - first.bytes) / count } : null;
}
