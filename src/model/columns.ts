import { FormatError } from '../base/errors.ts';
import { printable } from '../base/text.ts';

/**
 * Large numeric data on its way to a page: a small description and typed arrays, which arrive
 * without being parsed. Layout: `HWCOLS1\n`, the header's length (u32), the header as JSON, zeros up
 * to a multiple of 8, then each array (little-endian), each padded to 8 bytes as well.
 */
export class Columns<Header extends object = object> {
  readonly header: Header;
  readonly arrays: Readonly<Record<string, TypedArray>>;

  constructor(header: Header, arrays: Readonly<Record<string, TypedArray>>) {
    this.header = header;
    this.arrays = arrays;
  }

  f64(name: string): Float64Array {
    return this.#column(name, Float64Array);
  }

  u32(name: string): Uint32Array {
    return this.#column(name, Uint32Array);
  }

  u8(name: string): Uint8Array {
    return this.#column(name, Uint8Array);
  }

  #column<T extends TypedArray>(name: string, type: new (length: number) => T): T {
    const found = this.arrays[name];
    if (found instanceof type) return found;
    throw new FormatError(`there is no column ${name} of type ${type.name}`);
  }
}

export type TypedArray =
  | Float64Array
  | Float32Array
  | Uint32Array
  | Int32Array
  | Uint16Array
  | Uint8Array;

const TYPES = { Float64Array, Float32Array, Uint32Array, Int32Array, Uint16Array, Uint8Array };
type TypeName = keyof typeof TYPES;

const MAGIC = new TextEncoder().encode('HWCOLS1\n');
const LENGTH_AT = MAGIC.length;
const HEADER_AT = LENGTH_AT + 4;

interface Description {
  readonly header: object;
  readonly columns: readonly { name: string; type: TypeName; length: number }[];
}

export function encodeColumns(
  header: object,
  arrays: Readonly<Record<string, TypedArray>>,
): Uint8Array<ArrayBuffer> {
  const columns = Object.entries(arrays).map(([name, array]) => ({
    name,
    type: array.constructor.name as TypeName,
    length: array.length,
  }));
  const text = new TextEncoder().encode(JSON.stringify({ header, columns } satisfies Description));
  let at = padded(HEADER_AT + text.length);
  const starts = Object.values(arrays).map((array) => {
    const start = at;
    at += padded(array.byteLength);
    return start;
  });
  const bytes = new Uint8Array(at);
  bytes.set(MAGIC);
  new DataView(bytes.buffer).setUint32(LENGTH_AT, text.length, true);
  bytes.set(text, HEADER_AT);
  Object.values(arrays).forEach((array, i) => {
    const raw = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    bytes.set(raw, starts[i]);
  });
  return bytes;
}

/** The arrays are views of `bytes`, unless those start at an odd place in their buffer. */
export function decodeColumns<Header extends object = object>(
  given: Uint8Array<ArrayBuffer>,
): Columns<Header> {
  const bytes = given.byteOffset % 8 === 0 ? given : given.slice();
  const whole = bytes.length >= HEADER_AT && MAGIC.every((byte, i) => bytes[i] === byte);
  if (!whole) throw new FormatError('these are no columns');
  const { header, columns } = describe(bytes);
  let at = bytes.byteOffset + padded(HEADER_AT + headerLength(bytes));
  const arrays: Record<string, TypedArray> = {};
  for (const { name, type, length } of columns) {
    const Type = TYPES[type];
    const size = length * Type.BYTES_PER_ELEMENT;
    if (at + size > bytes.byteOffset + bytes.byteLength) {
      throw new FormatError(`column ${printable(name)} is cut off`);
    }
    arrays[name] = new Type(bytes.buffer, at, length);
    at += padded(size);
  }
  return new Columns(header as Header, arrays);
}

function describe(bytes: Uint8Array): Description {
  const end = HEADER_AT + headerLength(bytes);
  if (end > bytes.length) throw new FormatError('the header of the columns is cut off');
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder().decode(bytes.subarray(HEADER_AT, end)));
  } catch (cause) {
    throw new FormatError('the header of the columns is not JSON', { cause });
  }
  if (!isDescription(header)) throw new FormatError('the header of the columns names no columns');
  return header;
}

function isDescription(value: unknown): value is Description {
  const { header, columns } = (value ?? {}) as Partial<Description>;
  return (
    typeof header === 'object' &&
    header !== null &&
    Array.isArray(columns) &&
    columns.every(
      (one) =>
        typeof one?.name === 'string' &&
        Object.hasOwn(TYPES, one.type) &&
        Number.isInteger(one.length) &&
        one.length >= 0,
    )
  );
}

const headerLength = (bytes: Uint8Array) =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(LENGTH_AT, true);

const padded = (length: number) => Math.ceil(length / 8) * 8;
