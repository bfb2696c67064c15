import { describe, expect, it } from 'vitest';
import { asized, asizeof, nBytes, nConns, simsize } from '../../src/index.ts';
import { v8Sizes } from './v8-sizes.ts';

class Point {
  readonly x: number;
  readonly y: number;

  constructor(x: number, y: number) {
    this.x = x;
    this.y = y;
  }
}
// V8 shrinks the objects of a class once it has seen a few of them.
for (let i = 0; i < 50; i++) new Point(i, i + 0.5);
const thousand = <T>(make: (i: number) => T) => Array.from({ length: 1000 }, (_, i) => make(i));

/** Names that are added one by one, as they come: V8 keeps a table for the object. */
function dictionary(): Record<string, number> {
  const found: Record<string, number> = {};
  for (let i = 0; i < 1000; i++) found[`key${i}`] = i;
  return found;
}

/** Made at run time: literals of the program share their parts with the code. */
const CORPUS: Record<string, unknown> = {
  numbers: thousand((i) => i),
  doubles: thousand((i) => i + 0.5),
  texts: thousand((i) => String(i * 1e6)),
  instances: thousand((i) => new Point(i, i + 0.5)),
  nested: thousand((i) => ({ id: i, name: `n${i}`, at: Array.of(i, i) })),
  map: new Map(thousand((i) => [`k${i}`, { value: i }])),
  set: new Set(thousand((i) => i)),
  float32: new Float32Array(1000),
  buffer: Buffer.alloc(100_000),
  dates: thousand((i) => new Date(i + 1e12)),
  bigints: thousand((i) => 2n ** 200n + BigInt(i)),
  dictionary: dictionary(),
};

const TRUTH = v8Sizes(CORPUS);

describe('sizes of values', () => {
  it.each(Object.keys(CORPUS))('agree with V8 on %s', (name) => {
    const off = Math.abs(asizeof(CORPUS[name]) / TRUTH.get(name)! - 1);
    // Dictionaries, and strings that were never flattened, are a guess.
    expect(off).toBeLessThan(name === 'dictionary' ? 0.3 : 0.02);
  });

  it('counts shared parts once, and ends in cycles', () => {
    const part = { text: 'somewhat longer' };
    const alone = asizeof([part]);
    expect(asizeof([part, part])).toBe(alone + 8);
    const ring: unknown[] = [part];
    ring.push(ring);
    expect(asizeof(ring)).toBe(alone + 8);
  });

  it('counts array data once for each buffer, and apart', () => {
    const buffer = new ArrayBuffer(8000);
    const views = [new Float64Array(buffer), new Uint8Array(buffer, 10, 20), new DataView(buffer)];
    expect(nBytes(views)).toBe(8000);
    expect(simsize(views)).toBeLessThan(600);
    expect(asizeof(views)).toBe(simsize(views) + nBytes(views));
    expect(nConns({ a: new Float32Array(10), b: [new Float32Array(5)] })).toBe(15);
  });

  it('counts the slab that small Buffers share once', () => {
    const [a, b] = [Buffer.from('a text'), Buffer.from('another')];
    if (a.buffer === b.buffer) expect(nBytes([a, b])).toBe(a.buffer.byteLength);
    expect(nBytes([a, b])).toBeGreaterThan(0);
  });

  it('runs nothing of the program', () => {
    const touched: string[] = [];
    const sly = {
      get trap() {
        touched.push('getter');
        return 1;
      },
      proxy: new Proxy({}, { ownKeys: () => [String(touched.push('proxy'))] }),
    };
    expect(asizeof([sly])).toBeGreaterThan(0);
    expect(touched).toEqual([]);
  });

  it('has the options of the original', () => {
    const deep = { a: { b: { c: 'a text that is deep' } } };
    expect(asizeof(deep, { limit: 0 })).toBe(32);
    expect(asizeof(deep, { limit: 1 })).toBe(64);
    expect(asizeof(deep, { align: 64, limit: 0 })).toBe(64);
    const held = [() => 1, class {}];
    expect(asizeof(held, { code: true })).toBeGreaterThan(asizeof(held) + 100);
    expect(() => asizeof(deep, { align: 3 })).toThrow('align must be a power of 2, not 3');
    expect(() => asizeof(deep, { limit: -1 })).toThrow('limit must be 0 or more');
    let said = '';
    asizeof(deep, { stats: 1, detail: 1, print: (text) => (said += text) });
    expect(said).toMatch(/count +objects +arrays {2}type\n +3 +96 +0 {2}Object\n1 more types/);
    expect(said).toMatch(/Object size=136 arrays=0\n {4}a size=104 arrays=0/);
  });

  it('names what is held, what two share under the first', () => {
    const part = new Float64Array(100);
    const { refs, size, arrays } = asized({ first: part, second: part }, { detail: 1 });
    expect(refs.map(({ name, arrays: own }) => [name, own])).toEqual([
      ['first', 800],
      ['second', 0],
    ]);
    expect([size, arrays]).toEqual([asizeof({ first: part, second: part }), 800]);
  });
});
