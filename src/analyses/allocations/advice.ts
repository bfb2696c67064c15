import { MiB } from '../../base/bytes.ts';

/** A setting of PyTorch's allocator that would help, given those in force. */
export interface Advice {
  /** As in PYTORCH_CUDA_ALLOC_CONF. */
  readonly setting: string;
  readonly why: string;
  /** At most so many bytes; null: saves time, not bytes. */
  readonly bytes: number | null;
}

export interface Waste {
  readonly reservedBytes: number;
  readonly pinnedBytes: number;
  readonly cachedBytes: number;
  /** Segments given back to the driver during the trace. */
  readonly segmentFrees: number;
  /** Of segments with holes: the largest live block, and the segment. */
  readonly holders: readonly { readonly block: number; readonly size: number }[];
}

export type Settings = Readonly<Record<string, string | number | boolean | null>>;

/** Waste below this share of what is held, or below this many bytes, is not worth a setting. */
const WORTH_SHARE = 0.05;
const WORTH_BYTES = 32 * MiB;
/** So many segments given back and fetched anew cost time. */
const THRASH = 50;

export function allocatorAdvice(settings: Settings | null, waste: Waste): Advice[] {
  // Without its settings nobody knows what is already on.
  if (!settings) return [];
  const expandable = settings.expandable_segments === true;
  const found: Advice[] = [];
  const worth = (bytes: number) => bytes > WORTH_BYTES && bytes > waste.reservedBytes * WORTH_SHARE;
  if (!expandable && worth(waste.pinnedBytes)) {
    found.push({
      setting: 'expandable_segments:True',
      why: 'segments grow in place instead of leaving holes that live blocks pin',
      bytes: waste.pinnedBytes,
    });
    const split = splitSize(waste);
    if (Number(settings.max_split_size ?? -1) < 0 && split && worth(split.bytes)) {
      found.push({
        setting: `max_split_size_mb:${split.mib}`,
        why: `blocks above ${split.mib} MiB are no longer split, so small ones do not pin large segments (where expandable segments cannot be used)`,
        bytes: split.bytes,
      });
    }
  }
  if (!expandable && waste.segmentFrees > THRASH) {
    if (!found.some(({ setting }) => setting.startsWith('expandable'))) {
      found.push({
        setting: 'expandable_segments:True',
        why: `${waste.segmentFrees} segments were given back to the driver and fetched anew, which stops the device each time`,
        bytes: null,
      });
    }
    if (!roundsUp(settings)) {
      found.push({
        setting: 'roundup_power2_divisions:8',
        why: 'sizes that change from step to step then fit the blocks of earlier steps',
        bytes: null,
      });
    }
  }
  if (Number(settings.garbage_collection_threshold ?? 0) === 0 && worth(waste.cachedBytes)) {
    found.push({
      setting: 'garbage_collection_threshold:0.8',
      why: 'unused segments are given back early, for other users of the device',
      bytes: waste.cachedBytes,
    });
  }
  return found;
}

const roundsUp = (settings: Settings) =>
  Object.entries(settings).some(
    ([key, value]) => key.startsWith('roundup_power2_divisions') && Number(value) > 1,
  );

/** The size of split that would keep the pinned segments whole: just above the blocks that pin them. */
function splitSize({ holders }: Waste): { mib: number; bytes: number } | null {
  const small = holders.filter(({ block, size }) => block < size / 4);
  if (small.length === 0) return null;
  const mib = Math.max(20, ...small.map(({ block }) => Math.ceil(block / MiB)));
  const bytes = small
    .filter(({ size }) => size > mib * MiB)
    .reduce((sum, { block, size }) => sum + size - block, 0);
  return { mib, bytes };
}
