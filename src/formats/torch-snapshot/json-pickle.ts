/** Opcodes of pickle's protocol 2, as far as plain data needs them. */
const OP = {
  proto: 0x80,
  stop: 0x2e,
  mark: 0x28,
  none: 0x4e,
  true: 0x88,
  false: 0x89,
  int32: 0x4a,
  long1: 0x8a,
  float: 0x47,
  text: 0x58,
  emptyList: 0x5d,
  appends: 0x65,
  emptyDict: 0x7d,
  setItems: 0x75,
  pair: 0x86,
} as const;

/** Pairs of numbers that JSON can only write as lists. */
const PAIRS = new Set(['segment_pool_id', 'pool_id']);
const PIECE = 1 << 16;
/** No snapshot is nested deeper: dicts of lists of dicts of lists of frames. */
const MOST_DEPTH = 20;

/** Parsed JSON as the pickle that the same data would be, piece by piece; false: it is nested too deeply. */
export function* asPickle(value: unknown): Generator<Uint8Array, boolean> {
  const out = new Bytes();
  out.u8(OP.proto);
  out.u8(2);
  const tooDeep = yield* written(out, value, '', 0);
  out.u8(OP.stop);
  yield out.taken();
  return !tooDeep;
}

/** true: nested too deeply. */
function* written(
  out: Bytes,
  value: unknown,
  key: string,
  depth: number,
): Generator<Uint8Array, boolean> {
  if (out.length > PIECE) yield out.taken();
  if (depth > MOST_DEPTH) return true;
  if (Array.isArray(value)) {
    const isPair = PAIRS.has(key) && value.length === 2;
    if (!isPair) {
      out.u8(OP.emptyList);
      out.u8(OP.mark);
    }
    for (const item of value) if (yield* written(out, item, '', depth + 1)) return true;
    out.u8(isPair ? OP.pair : OP.appends);
  } else if (typeof value === 'object' && value !== null) {
    out.u8(OP.emptyDict);
    out.u8(OP.mark);
    for (const [name, item] of Object.entries(value)) {
      out.text(name);
      if (yield* written(out, item, name, depth + 1)) return true;
    }
    out.u8(OP.setItems);
  } else out.plain(value);
  return false;
}

const ENCODER = new TextEncoder();

/** Bytes that are written one after the other. */
class Bytes {
  length = 0;
  #bytes = new Uint8Array(2 * PIECE);
  #view = new DataView(this.#bytes.buffer);

  u8(byte: number): void {
    this.#room(1);
    this.#bytes[this.length++] = byte;
  }

  plain(value: unknown): void {
    if (typeof value === 'string') this.text(value);
    else if (typeof value === 'boolean') this.u8(value ? OP.true : OP.false);
    else if (typeof value === 'number') this.#number(value);
    else this.u8(OP.none);
  }

  text(value: string): void {
    const bytes = ENCODER.encode(value);
    this.u8(OP.text);
    this.#room(4 + bytes.length);
    this.#view.setUint32(this.length, bytes.length, true);
    this.#bytes.set(bytes, this.length + 4);
    this.length += 4 + bytes.length;
  }

  /** All that was written since the last time. */
  taken(): Uint8Array {
    const taken = this.#bytes.slice(0, this.length);
    this.length = 0;
    return taken;
  }

  #number(value: number): void {
    this.#room(10);
    if (!Number.isSafeInteger(value)) {
      this.u8(OP.float);
      this.#view.setFloat64(this.length, value);
      this.length += 8;
    } else if (value === (value | 0)) {
      this.u8(OP.int32);
      this.#view.setInt32(this.length, value, true);
      this.length += 4;
    } else {
      this.u8(OP.long1);
      this.u8(8);
      this.#view.setBigInt64(this.length, BigInt(value), true);
      this.length += 8;
    }
  }

  #room(bytes: number): void {
    if (this.length + bytes <= this.#bytes.length) return;
    const bigger = new Uint8Array(2 * (this.#bytes.length + bytes));
    bigger.set(this.#bytes);
    this.#bytes = bigger;
    this.#view = new DataView(bigger.buffer);
  }
}
