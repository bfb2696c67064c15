import { SECOND_NS } from '../base/time.ts';
import type { Recording } from './recording.ts';

/** What holds tensors that became more while a program served, as its agent saw it look by look. */
export interface CacheHolder {
  readonly pid: number;
  /** `_kept of SessionCache`: where it hangs. */
  readonly holder: string;
  /** `OrderedDict`; `torch.Tensor` where one tensor becomes larger. */
  readonly container: string;
  /** `cpu`, `cuda:0`. */
  readonly device: string;
  readonly looks: readonly CacheLook[];
  readonly course: CacheCourse;
}

export interface CacheLook {
  readonly ns: number;
  readonly entries: number;
  readonly bytes: number;
}

/**
 * `grows`: to the last look; `bounded`: not in the later half of the time that it was looked at; `let-go`: empty, or gone, at the last
 * look; `unclear`: too few looks, or up and down.
 */
export type CacheCourse = 'grows' | 'bounded' | 'let-go' | 'unclear';

/** The first of these looks gives the start, two more a course. */
const FEWEST_LOOKS = 3;
/** In the later half of the time it gained less than this share of what it holds: it has stopped. */
const STOPPED = 0.05;
/** At the last look it holds nearly the most that it ever did. */
const HIGHEST = 0.98;
/** And has gained in the later half at least this share of all that it gained. */
const STILL = 0.25;

/** Those that hold most at their last look first. */
export function cacheHolders(recording: Recording): CacheHolder[] {
  const table = recording.table('objects');
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const [counts, sizes] = [table.f64('count'), table.f64('bytes')];
  const [kinds, types, ofs, holders] = ['kind', 'type', 'of', 'holder'].map((name) =>
    table.u32(name),
  );
  const found = new Map<string, Omit<CacheHolder, 'looks' | 'course'> & { looks: CacheLook[] }>();
  for (let row = 0; row < table.rows; row++) {
    if (recording.text(kinds![row]!) !== 'cache') continue;
    const [ns, pid] = [times[row]!, pids[row]!];
    const [container, holder] = [recording.text(types![row]!), recording.text(holders![row]!)];
    const look = { ns, entries: counts[row]!, bytes: sizes[row]! };
    // One that has gone, or is empty, is on no device.
    const device = recording.text(ofs![row]!);
    const name = holder.replace(/ of \d+ /g, ' ');
    const at = `${pid} ${container} ${name}`;
    if (device === '') {
      for (const [key, one] of found) if (key.startsWith(`${at} on `)) one.looks.push(look);
      continue;
    }
    const key = `${at} on ${device}`;
    const one = found.get(key) ?? { pid, holder, container, device, looks: [] };
    found.set(key, one);
    const last = one.looks.at(-1);
    // Two looks may have been given one time.
    if (last?.ns !== ns) one.looks.push(look);
    else if (look.bytes > last.bytes) one.looks[one.looks.length - 1] = look;
  }
  return [...found.values()]
    .map((one) => ({ ...one, course: courseOf(one.looks) }))
    .sort((a, b) => b.looks.at(-1)!.bytes - a.looks.at(-1)!.bytes);
}

function courseOf(looks: readonly CacheLook[]): CacheCourse {
  const [first, last] = [looks[0]!, looks.at(-1)!];
  if (last.bytes === 0) return 'let-go';
  if (looks.length < FEWEST_LOOKS) return 'unclear';
  const half = (first.ns + last.ns) / 2;
  const middle = looks.filter(({ ns }) => ns <= half).at(-1)!;
  const later = last.bytes - middle.bytes;
  if (Math.abs(later) <= STOPPED * last.bytes) return 'bounded';
  const most = Math.max(...looks.map(({ bytes }) => bytes));
  const grew = last.bytes >= HIGHEST * most && later >= STILL * (last.bytes - first.bytes);
  return grew ? 'grows' : 'unclear';
}

/** From its first look to its last: bytes, entries and seconds. */
export function cacheGrowth({ looks }: CacheHolder) {
  const [first, last] = [looks[0]!, looks.at(-1)!];
  return {
    bytes: last.bytes - first.bytes,
    entries: last.entries - first.entries,
    seconds: (last.ns - first.ns) / SECOND_NS,
  };
}
