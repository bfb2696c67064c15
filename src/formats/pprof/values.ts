import { KiB, MiB } from '../../base/bytes.ts';
import { FormatError } from '../../base/errors.ts';

/** Which of a sample's values is what; -1: none. */
export interface ValueColumns {
  readonly bytes: number;
  readonly objects: number;
  readonly allocatedBytes: number;
  readonly allocatedObjects: number;
  /** Bytes of one unit of the sizes. */
  readonly unit: number;
  /** What the profile calls the bytes. */
  readonly name: string;
}

const UNITS: Readonly<Record<string, number>> = {
  ...{ bytes: 1, byte: 1, b: 1, kilobytes: KiB, kb: KiB, kib: KiB },
  ...{ megabytes: MiB, mb: MiB, mib: MiB },
};

/** Go's, then those of tcmalloc, V8 and JAX: bytes that are in use, and how many objects. */
const IN_USE = ['inuse_space', 'space', 'live_bytes', 'inuse_bytes'] as const;
const OBJECTS = ['inuse_objects', 'objects', 'allocations', 'live_objects'] as const;

export function valueColumns(
  types: readonly { type: string; unit: string }[],
  file: string,
): ValueColumns {
  const named = (names: readonly string[], fits: (unit: string) => boolean) => {
    for (const name of names) {
      const at = types.findIndex(({ type, unit }) => type === name && fits(unit.toLowerCase()));
      if (at >= 0) return at;
    }
    return -1;
  };
  const isSize = (unit: string) => unit in UNITS;
  const isCount = (unit: string) => unit === 'count';
  const bytes = named(IN_USE, isSize);
  if (bytes < 0) {
    const has = types.map(({ type, unit }) => `${type}/${unit}`).join(', ');
    throw new FormatError(`${file} is a profile of ${has}, not of memory in use`, {
      hint: 'a heap profile has bytes as inuse_space or space',
    });
  }
  const unit = UNITS[types[bytes]!.unit.toLowerCase()]!;
  const same = (of: string) => UNITS[of] === unit;
  return {
    bytes,
    objects: named(OBJECTS, isCount),
    allocatedBytes: named(['alloc_space'], same),
    allocatedObjects: named(['alloc_objects'], isCount),
    unit,
    name: types[bytes]!.type,
  };
}
