import { formatBytes } from '../../base/bytes.ts';
import { FormatError } from '../../base/errors.ts';
import { isoTime } from '../../base/time.ts';
import { NO_ID } from '../../model/allocations/actions.ts';
import type { Frame } from '../../model/allocations/names.ts';
import type { Recording } from '../../model/recording.ts';
import { HeapProfileWriter, ONE_MOMENT } from '../heap-profile/writer.ts';
import type { Input } from '../input.ts';
import { decodeProfile, type RawLocation, type RawProfile, type RawSample } from './decode.ts';
import type { Varint } from './protobuf-reader.ts';
import { type ValueColumns, valueColumns } from './values.ts';

/** A heap profile as a recording with one table: what was in use, by call stack. */
export function readProfile(input: Input): Recording {
  const profile = decodeProfile(input.bytes(), input.name);
  const text = texts(profile, input.name);
  if (profile.types.length === 0) throw new FormatError(`${input.name} is no pprof profile`);
  const types = profile.types.map(({ type, unit }) => ({ type: text(type), unit: text(unit) }));
  const columns = valueColumns(types, input.name);
  const writer = new HeapProfileWriter(
    input.name,
    'pprof',
    profile.timeNanos > 0 ? { startedAt: isoTime(Number(profile.timeNanos) / 1e6) } : {},
  );
  const places = new Places(profile, text, input.name);
  const kinds = new Set<string>();
  for (const [i, sample] of profile.samples.entries()) {
    const row = valuesOf(sample, columns, types.length, `${input.name}: sample ${i + 1}`);
    const labels = new Map(sample.labels.map(({ key, text: value }) => [text(key), text(value)]));
    const kind = labels.get('kind') ?? labels.get('category') ?? '';
    kinds.add(kind);
    const stack = writer.stack(sample.locations.flatMap((id) => places.frames(id)));
    writer.add(stack, { ...row, device: labels.get('device'), kind });
  }
  return writer.build(warnings(profile, types, kinds, text));
}

/** The text of an index; the first one has to be the empty one. */
function texts({ strings }: RawProfile, file: string): (index: number) => string {
  return (index) => {
    const found = strings[index];
    if (found !== undefined) return found;
    throw new FormatError(`${file} names text ${index}, and has ${strings.length}`);
  };
}

function valuesOf(sample: RawSample, columns: ValueColumns, count: number, where: string) {
  if (sample.values.length !== count) {
    throw new FormatError(`${where} has ${sample.values.length} values instead of ${count}`);
  }
  const value = (column: number, unit = 1) => {
    if (column < 0) return undefined;
    const found = sample.values[column]!;
    // A negative number comes as one of 64 bits.
    if (typeof found === 'bigint') {
      throw new FormatError(
        `${where} has ${found >> 63n === 1n ? 'a negative value' : 'a value beyond all memory'}`,
        { hint: 'the difference of two profiles is no heap profile' },
      );
    }
    return found * unit;
  };
  return {
    bytes: value(columns.bytes, columns.unit)!,
    objects: value(columns.objects),
    allocatedBytes: value(columns.allocatedBytes, columns.unit),
    allocatedObjects: value(columns.allocatedObjects),
  };
}

/** Frames of places, made once each. */
class Places {
  readonly #profile: RawProfile;
  readonly #text: (index: number) => string;
  readonly #file: string;
  readonly #known = new Map<Varint, readonly Frame[]>();

  constructor(profile: RawProfile, text: (index: number) => string, file: string) {
    this.#profile = profile;
    this.#text = text;
    this.#file = file;
  }

  /** The innermost of inlined calls first. */
  frames(id: Varint): readonly Frame[] {
    let found = this.#known.get(id);
    if (!found) {
      const location = this.#profile.locations.get(id);
      if (!location)
        throw new FormatError(`${this.#file} names place ${id}, which it does not have`);
      found = location.lines.length > 0 ? this.#lines(location) : [this.#address(location)];
      this.#known.set(id, found);
    }
    return found;
  }

  #lines({ lines }: RawLocation): Frame[] {
    return lines.map(({ function: id, line }) => {
      const found = this.#profile.functions.get(id);
      if (!found)
        throw new FormatError(`${this.#file} names function ${id}, which it does not have`);
      const file = this.#text(found.file);
      const known = line > 0 && line < NO_ID ? line : 0;
      return { function: this.#text(found.name) || '[no name]', file, line: known };
    });
  }

  /** Without a name: where in which file it was loaded from. */
  #address({ mapping, address }: RawLocation): Frame {
    const of = this.#profile.mappings.get(mapping);
    const file = of ? this.#text(of.file) : '';
    const [at, start] = [BigInt(address), BigInt(of?.start ?? 0)];
    const inside = file !== '' && at >= start;
    const offset = inside ? at - start + BigInt(of!.offset) : at;
    const name = `0x${offset.toString(16)}`;
    return { function: inside ? `${file.split('/').at(-1)}+${name}` : name, file, line: 0 };
  }
}

function warnings(
  { period, periodType }: RawProfile,
  types: readonly { type: string; unit: string }[],
  kinds: ReadonlySet<string>,
  text: (index: number) => string,
): string[] {
  const found = [ONE_MOMENT];
  const sampled = periodType !== null && text(periodType.unit) === 'bytes' && Number(period) > 1;
  if (sampled) {
    found.push(
      `about one allocation in ${formatBytes(Number(period))} was sampled: figures are estimates, and places that hold little are not seen`,
    );
  }
  // The one writer of such kinds is XLA's runtime.
  const isXla = kinds.has('buffer') && types.some(({ type }) => type === 'allocations');
  if (isXla) {
    found.push(
      'it has the buffers that the runtime handed out: what compiled programs use within themselves while they run is not among them',
    );
  }
  return found;
}
