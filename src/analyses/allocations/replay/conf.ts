import { MiB } from '../../../base/bytes.ts';
import { UserError } from '../../../base/errors.ts';

/** The settings of PyTorch's allocator that decide what it reserves. */
export interface AllocatorConf {
  readonly expandableSegments: boolean;
  /** Blocks of so many bytes or more are never split; Infinity: no such limit. */
  readonly maxSplitSize: number;
  /** A large request takes a whole larger block if it is larger by less than this. */
  readonly maxNonSplitRounding: number;
  /** How finely sizes between two powers of two are rounded up, by class from 1 MiB on; 0: not. */
  readonly roundupDivisions: readonly number[];
  /** Share of the limit above which unused segments are given back; 0: never. */
  readonly garbageCollectionThreshold: number;
  readonly largeSegmentSize: number;
}

export const SIZE_CLASSES = 16;
const LARGE_SEGMENT = 20 * MiB;

export const DEFAULT_CONF: AllocatorConf = {
  expandableSegments: false,
  maxSplitSize: Number.POSITIVE_INFINITY,
  maxNonSplitRounding: LARGE_SEGMENT,
  roundupDivisions: new Array(SIZE_CLASSES).fill(0),
  garbageCollectionThreshold: 0,
  largeSegmentSize: LARGE_SEGMENT,
};

/** Settings that change no layout, or belong to memory of the host. */
const WITHOUT_EFFECT = new Set([
  'backend',
  'release_lock_on_cudamalloc',
  'release_lock_on_hipmalloc',
  'pinned_use_cuda_host_register',
  'pinned_use_hip_host_register',
  'pinned_num_register_threads',
  'pinned_use_background_threads',
  'pinned_reserve_segment_size_mb',
  'pinned_max_power2_size_mb',
  'pinned_max_round_threshold_mb',
  'graph_capture_record_stream_reuse',
]);

export const CONF_KEYS = [
  'expandable_segments',
  'max_split_size_mb',
  'max_non_split_rounding_mb',
  'roundup_power2_divisions',
  'garbage_collection_threshold',
  'large_segment_size_mb',
];

/** Reads what stands in PYTORCH_CUDA_ALLOC_CONF; `default` and nothing are torch's own defaults. */
export function parseConf(text: string): AllocatorConf {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === 'default') return DEFAULT_CONF;
  const conf: { -readonly [Key in keyof AllocatorConf]: AllocatorConf[Key] } = { ...DEFAULT_CONF };
  let rounding: number | null = null;
  for (const [key, value] of pairs(trimmed)) {
    if (key === 'expandable_segments') conf.expandableSegments = flag(text, key, value);
    else if (key === 'max_split_size_mb') conf.maxSplitSize = mib(text, key, value);
    else if (key === 'max_non_split_rounding_mb') rounding = mib(text, key, value);
    else if (key === 'large_segment_size_mb') conf.largeSegmentSize = mib(text, key, value);
    else if (key === 'roundup_power2_divisions') conf.roundupDivisions = divisions(text, value);
    else if (key === 'garbage_collection_threshold') {
      conf.garbageCollectionThreshold = threshold(text, value);
    } else if (key === 'backend' && value !== 'native') {
      throw wrong(text, `the backend ${value} has rules of its own, which are not replayed here`);
    } else if (!WITHOUT_EFFECT.has(key)) {
      throw wrong(text, `${key} is no setting that can be replayed`);
    }
  }
  conf.maxNonSplitRounding = rounding ?? conf.largeSegmentSize;
  // As torch checks them: smaller ones would leave large segments that nothing may use.
  for (const [key, bytes] of [
    ['max_split_size_mb', conf.maxSplitSize],
    ['max_non_split_rounding_mb', rounding ?? Number.POSITIVE_INFINITY],
  ] as const) {
    const least = conf.largeSegmentSize;
    if (bytes < least) throw wrong(text, `${key} must be at least ${least / MiB}`);
  }
  return conf;
}

/** `key:value` pairs; a value in brackets holds commas of its own. */
function pairs(text: string): [string, string][] {
  const found: [string, string][] = [];
  const pattern = /\s*([a-z0-9_]+)\s*:\s*(\[[^\]]*\]|[^,[\]]*)\s*(?:,|$)/giy;
  while (pattern.lastIndex < text.length) {
    const at = pattern.lastIndex;
    const match = pattern.exec(text);
    if (!match) throw wrong(text, `cannot read “${text.slice(at, at + 40)}”`);
    found.push([match[1]!.toLowerCase(), match[2]!.trim()]);
  }
  return found;
}

function wrong(text: string, why: string): UserError {
  return new UserError(`“${text.slice(0, 80)}”: ${why}`, {
    hint: `settings as in PYTORCH_CUDA_ALLOC_CONF: ${CONF_KEYS.join(', ')}, or default`,
  });
}

function flag(text: string, key: string, value: string): boolean {
  if (/^true$/i.test(value)) return true;
  if (/^false$/i.test(value)) return false;
  throw wrong(text, `${key} is True or False`);
}

function mib(text: string, key: string, value: string): number {
  const size = Number(value);
  if (!/^\d+$/.test(value) || size < 2 || size > 2 ** 22) {
    throw wrong(text, `${key} is a whole number of MiB from 2 on`);
  }
  return size * MiB;
}

function threshold(text: string, value: string): number {
  const share = Number(value);
  if (value === '' || !(share > 0 && share < 1)) {
    throw wrong(text, 'garbage_collection_threshold lies between 0 and 1');
  }
  return share;
}

/** One number for all classes, or `[256:1,512:2,>:4]`: by the upper size in MiB. */
function divisions(text: string, value: string): number[] {
  const count = (part: string): number => {
    const number = Number(part);
    if (!/^\d+$/.test(part) || (number !== 0 && !isPowerOf2(number))) {
      throw wrong(text, 'roundup_power2_divisions takes powers of 2');
    }
    return number;
  };
  if (!value.startsWith('[')) return new Array(SIZE_CLASSES).fill(count(value));
  const found: number[] = new Array(SIZE_CLASSES).fill(0);
  let last = 0;
  for (const [order, part] of value.slice(1, -1).split(',').entries()) {
    const [size = '', divided = ''] = part.split(':').map((half) => half.trim());
    if (size === '>') found.fill(count(divided), last + 1);
    else {
      if (count(size) === 0) throw wrong(text, 'a size class is a power of 2 in MiB');
      const index = Math.min(Math.log2(Number(size)), SIZE_CLASSES - 1);
      if (order === 0) found.fill(count(divided), 0, index);
      found[index] = count(divided);
      last = index;
    }
  }
  return found;
}

export const isPowerOf2 = (value: number) => Number.isInteger(Math.log2(value));

/** The text that gives these settings, the shortest; `default` where nothing is set. */
export function confText(conf: AllocatorConf): string {
  const parts: string[] = [];
  if (conf.expandableSegments) parts.push('expandable_segments:True');
  if (Number.isFinite(conf.maxSplitSize))
    parts.push(`max_split_size_mb:${conf.maxSplitSize / MiB}`);
  if (conf.maxNonSplitRounding !== conf.largeSegmentSize) {
    parts.push(`max_non_split_rounding_mb:${conf.maxNonSplitRounding / MiB}`);
  }
  if (conf.roundupDivisions.some((count) => count > 0)) {
    parts.push(`roundup_power2_divisions:${divisionsText(conf.roundupDivisions)}`);
  }
  if (conf.garbageCollectionThreshold > 0) {
    parts.push(`garbage_collection_threshold:${conf.garbageCollectionThreshold}`);
  }
  if (conf.largeSegmentSize !== LARGE_SEGMENT) {
    parts.push(`large_segment_size_mb:${conf.largeSegmentSize / MiB}`);
  }
  return parts.length > 0 ? parts.join(',') : 'default';
}

function divisionsText(counts: readonly number[]): string {
  if (counts.every((count) => count === counts[0])) return String(counts[0]);
  return `[${counts.map((count, index) => `${2 ** index}:${count}`).join(',')}]`;
}

/** The settings of a run by what its snapshot says; null where it says nothing of them. */
export function recordedConf(
  settings: Readonly<Record<string, string | number | boolean | null>>,
): AllocatorConf | null {
  if (settings.expandable_segments === undefined && settings.max_split_size === undefined) {
    return null;
  }
  const split = Number(settings.max_split_size ?? -1);
  const megabytes = (key: string) => {
    const value = Number(settings[key] ?? Number.NaN);
    return value > 0 ? value : null;
  };
  const large = (megabytes('large_segment_size_mb') ?? 20) * MiB;
  const largeBytes = megabytes('large_segment_size') ?? large;
  return {
    expandableSegments: settings.expandable_segments === true,
    maxSplitSize: split > 0 ? split : Number.POSITIVE_INFINITY,
    maxNonSplitRounding: megabytes('max_non_split_rounding_size') ?? largeBytes,
    roundupDivisions: Array.from({ length: SIZE_CLASSES }, (_, index) =>
      Number(settings[`roundup_power2_divisions.${2 ** index}`] ?? 0),
    ),
    garbageCollectionThreshold: Number(settings.garbage_collection_threshold ?? 0),
    largeSegmentSize: largeBytes,
  };
}
