type Random = () => number;
type Mutation = (bytes: Uint8Array, random: Random, other: Uint8Array) => Uint8Array;

/** What happens to files: each mutation is one kind of accident, or of malice. */

const pick = (random: Random, below: number) => Math.floor(random() * below);

/** A range inside the bytes, mostly short. */
function range(bytes: Uint8Array, random: Random): [number, number] {
  const start = pick(random, bytes.length + 1);
  const length = pick(random, random() < 0.8 ? 32 : bytes.length + 1);
  return [start, Math.min(bytes.length, start + length)];
}

function replace(bytes: Uint8Array, start: number, end: number, by: Uint8Array): Uint8Array {
  const result = new Uint8Array(start + by.length + bytes.length - end);
  result.set(bytes.subarray(0, start));
  result.set(by, start);
  result.set(bytes.subarray(end), start + by.length);
  return result;
}

function overwrite(bytes: Uint8Array, at: number, by: Uint8Array): Uint8Array {
  const result = bytes.slice();
  result.set(by.subarray(0, Math.max(0, result.length - at)), at);
  return result;
}

const flipBits: Mutation = (bytes, random) => {
  const result = bytes.slice();
  for (let n = 1 + pick(random, 4); n > 0; n--) {
    const bit = pick(random, bytes.length * 8);
    if (bytes.length > 0) result[bit >> 3]! ^= 1 << (bit & 7);
  }
  return result;
};

const fillRun: Mutation = (bytes, random) => {
  const result = bytes.slice();
  const fill = [0, 0xff, 0x7f, 0x80, 0x20, 0x0a, 0x22, 0x2c][pick(random, 8)]!;
  return result.fill(fill, ...range(bytes, random));
};

const noise: Mutation = (bytes, random) => {
  const result = bytes.slice();
  const [start, end] = range(bytes, random);
  for (let at = start; at < end; at++) result[at] = pick(random, 256);
  return result;
};

const truncate: Mutation = (bytes, random) => bytes.slice(0, pick(random, bytes.length + 1));
const cutOut: Mutation = (bytes, random) =>
  replace(bytes, ...range(bytes, random), new Uint8Array());

const duplicate: Mutation = (bytes, random) => {
  const [start, end] = range(bytes, random);
  return replace(bytes, end, end, bytes.slice(start, end));
};

const splice: Mutation = (bytes, random, other) => {
  const [start, end] = range(other, random);
  const at = pick(random, bytes.length + 1);
  const to = random() < 0.5 ? at : Math.min(bytes.length, at + end - start);
  return replace(bytes, at, to, other.slice(start, end));
};

/** Lengths and offsets in headers are 32- or 64-bit words: the values that break readers. */
const editWord: Mutation = (bytes, random) => {
  const word = new DataView(new ArrayBuffer(8));
  const value = [0, 1, -1, 0x7fffffff, -0x80000000, 8, bytes.length, pick(random, 65536)][
    pick(random, 8)
  ]!;
  const wide = random() < 0.3;
  if (wide) word.setBigInt64(0, BigInt(value), true);
  else word.setInt32(0, value, true);
  const at = pick(random, Math.max(1, bytes.length >> 2)) * 4;
  return overwrite(bytes, at, new Uint8Array(word.buffer, 0, wide ? 8 : 4));
};

const NUMBERS = [
  '-1',
  '0',
  '1e999',
  '-0',
  '1e-400',
  'NaN',
  '',
  '18446744073709551616',
  '9'.repeat(40),
];
const WORDS = ['null', '[]', '{}', '"', ',', '\n', '\r\n', 'true', '__proto__', '\ufeff', '""'];

/** A number in a text becomes another, or something that is none. */
const editText: Mutation = (bytes, random) => {
  const text = Buffer.from(bytes).toString('latin1');
  const from = pick(random, text.length + 1);
  const number = /-?\d+(\.\d+)?(e[+-]?\d+)?/g;
  number.lastIndex = from;
  const found = random() < 0.7 ? number.exec(text) : null;
  const list = random() < 0.6 ? NUMBERS : WORDS;
  const by = Buffer.from(list[pick(random, list.length)]!);
  const start = found?.index ?? from;
  return replace(bytes, start, start + (found?.[0].length ?? 0), by);
};

const MUTATIONS = [
  flipBits,
  flipBits,
  fillRun,
  noise,
  truncate,
  cutOut,
  duplicate,
  splice,
  editWord,
  editWord,
  editText,
  editText,
];

/** One to three accidents; small inputs break in more interesting ways than wrecks. */
export function mutate(bytes: Uint8Array, random: Random, other: Uint8Array): Uint8Array {
  let result = bytes;
  for (let n = 1 + pick(random, 3); n > 0; n--) {
    result = MUTATIONS[pick(random, MUTATIONS.length)]!(result, random, other);
  }
  return result;
}
