import { deviceId, deviceName } from '../../model/allocations/device-name.ts';
import { lifetimes } from '../../model/allocations/lifetimes.ts';
import type { TraceMoment } from '../../model/allocations/live.ts';
import { stackPath } from '../../model/allocations/stack-path.ts';
import type { DeviceTrace } from '../../model/allocations/trace.ts';
import type { Recording } from '../../model/recording.ts';
import type { ProfileHead, ProfileSample } from './encode.ts';

/** As Go names them in heap profiles, so that every tool for those knows what they are. */
export const HEAP_TYPES: ProfileHead['types'] = [
  ['alloc_objects', 'count'],
  ['alloc_space', 'bytes'],
  ['inuse_objects', 'count'],
  ['inuse_space', 'bytes'],
];

interface Group {
  readonly stack: number;
  readonly tag: number;
  readonly category: string;
  /** In the order of HEAP_TYPES. */
  readonly values: [number, number, number, number];
}

/** What each stack had allocated up to a moment, and what of it lived then. */
export function* traceSamples(
  recording: Recording,
  { trace, event }: TraceMoment,
  categoryOf: (row: number) => string,
): Generator<ProfileSample> {
  const device = deviceName(deviceId(trace.device));
  for (const { stack, tag, category, values } of groups(trace, event, categoryOf)) {
    yield {
      frames: stackPath(recording, stack, tag).toReversed(),
      values,
      labels: [['device', device], ...(category ? ([['category', category]] as const) : [])],
    };
  }
}

function groups(trace: DeviceTrace, event: number, categoryOf: (row: number) => string): Group[] {
  const life = lifetimes(trace);
  const { count, start, end, size, stack } = life;
  const known = new Map<string, Map<number, Group>>();
  const found: Group[] = [];
  for (let row = 0; row < count; row++) {
    if (start[row]! > event) continue;
    const [tag, category] = [life.tagOf(row), categoryOf(row)];
    const key = `${tag} ${category}`;
    let byStack = known.get(key);
    if (!byStack) {
      byStack = new Map();
      known.set(key, byStack);
    }
    let group = byStack.get(stack[row]!);
    if (!group) {
      group = { stack: stack[row]!, tag, category, values: [0, 0, 0, 0] };
      byStack.set(stack[row]!, group);
      found.push(group);
    }
    const { values } = group;
    values[0]++;
    values[1] += size[row]!;
    if (end[row]! <= event) continue;
    values[2]++;
    values[3] += size[row]!;
  }
  return found.sort((a, b) => b.values[3] - a.values[3] || b.values[1] - a.values[1]);
}
