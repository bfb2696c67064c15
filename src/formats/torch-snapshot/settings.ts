import type { AllocatorInfo } from '../../model/run.ts';
import { isRef, type Value } from '../pickle/values.ts';

/** No version writes more; a file that does is not worth a run.json of megabytes. */
const MOST = 1000;

/** The allocator's settings as one flat list, and what it says of its ring buffer of events. */
export function allocatorInfo(value: Value | undefined): Omit<AllocatorInfo, 'range'> {
  const settings: AllocatorInfo['settings'] = Object.create(null);
  const room = { left: MOST };
  if (value instanceof Map) flatten('', value, settings, room, 3);
  const overflowed = settings.trace_alloc_overflowed;
  const maxEntries = settings.trace_alloc_max_entries;
  return {
    source: 'torch-snapshot',
    settings: { ...settings },
    overflowed: typeof overflowed === 'boolean' ? overflowed : null,
    maxEntries: typeof maxEntries === 'number' ? maxEntries : null,
  };
}

function flatten(
  prefix: string,
  dict: ReadonlyMap<string, Value>,
  into: AllocatorInfo['settings'],
  room: { left: number },
  depth: number,
): void {
  for (const [key, value] of dict) {
    if (room.left-- <= 0) return;
    const name = `${prefix}${key}`;
    if (value instanceof Map) {
      if (depth > 0) flatten(`${name}.`, value, into, room, depth - 1);
    } else if (typeof value === 'bigint') into[name] = Number(value);
    else if (!Array.isArray(value) && !isRef(value)) into[name] = value as string | number | null;
  }
}
