import { types } from 'node:util';
import { tensorData } from './tensors.ts';
import {
  arraySize,
  FIXED,
  holdsNames,
  mapSize,
  primitiveSize,
  recordSize,
  setSize,
  slots,
} from './v8-layout.ts';

export interface SizeOptions {
  /** Each value is rounded up to a multiple of this power of 2 (8). */
  readonly align?: number;
  /** How many levels are followed (all). */
  readonly limit?: number;
  /** Count functions, and what they have as properties, too. */
  readonly code?: boolean;
}

/** Count, bytes of objects, bytes of arrays. */
export type KindRow = [count: number, objects: number, arrays: number];

/**
 * Sizes of values with all that they refer to: every object once, cycles included, array data by its
 * buffer. Nothing of the program runs meanwhile: no getter is called, no proxy is asked.
 */
export class SizeWalk {
  readonly #mask: number;
  readonly #limit: number;
  readonly #code: boolean;
  readonly #seen = new Set<unknown>();
  readonly #blocks = new Set<object>();
  /** Bytes of objects. */
  objects = 0;
  /** Bytes of array data, by device. */
  readonly arrays = new Map<string, number>();
  readonly kinds = new Map<string, KindRow>();

  constructor({ align = 8, limit = Number.POSITIVE_INFINITY, code = false }: SizeOptions = {}) {
    if (!Number.isInteger(Math.log2(align))) {
      throw new RangeError(`align must be a power of 2, not ${align}`);
    }
    if (!(limit >= 0)) throw new RangeError(`limit must be 0 or more, not ${limit}`);
    this.#mask = align - 1;
    this.#limit = limit;
    this.#code = code;
  }

  get arrayBytes(): number {
    return [...this.arrays.values()].reduce((sum, bytes) => sum + bytes, 0);
  }

  get total(): number {
    return this.objects + this.arrayBytes;
  }

  has(value: unknown): boolean {
    return this.#seen.has(value);
  }

  /** The bytes that these added. Given values count whatever they are. */
  add(...roots: readonly unknown[]): number {
    const before = this.total;
    let level = this.#fresh(roots, true);
    for (let depth = 0; level.length > 0; depth++) {
      const held: unknown[] = [];
      for (const value of level) this.#measure(value, held);
      level = depth < this.#limit ? this.#fresh(held, false) : [];
    }
    return this.total - before;
  }

  /** One object without what it refers to, which is left to be added later. */
  addAlone(one: object): void {
    if (this.#fresh([one], true).length > 0) this.#measure(one, []);
  }

  #fresh(found: readonly unknown[], given: boolean): unknown[] {
    return found.filter((value) => {
      if (value === null || value === undefined || typeof value === 'boolean') return false;
      if (typeof value === 'function' && !given && !this.#code) return false;
      // A number has no identity: each is a value of its own.
      if (typeof value === 'number') return true;
      if (this.#seen.has(value)) return false;
      this.#seen.add(value);
      return true;
    });
  }

  #measure(value: unknown, held: unknown[]): void {
    if (typeof value !== 'object' && typeof value !== 'function') {
      this.#count(typeof value, primitiveSize(value), 0);
      return;
    }
    const one = value as object;
    if (types.isProxy(one)) {
      this.#count('Proxy', FIXED.other, 0);
      return;
    }
    const flat = this.#flat(one, held);
    this.#count(nameOf(one), flat, this.#data(one));
  }

  #count(kind: string, bytes: number, data: number): void {
    const size = Math.ceil(bytes / (this.#mask + 1)) * (this.#mask + 1);
    this.objects += size;
    const row = this.kinds.get(kind);
    if (!row) this.kinds.set(kind, [1, size, data]);
    else {
      row[0]++;
      row[1] += size;
      row[2] += data;
    }
  }

  /** Bytes of an object itself; what it refers to is added to `held`. */
  #flat(one: object, held: unknown[]): number {
    if (ArrayBuffer.isView(one)) {
      held.push(one.buffer);
      return FIXED.view;
    }
    if (types.isAnyArrayBuffer(one)) return FIXED.arrayBuffer;
    if (Array.isArray(one)) return arraySize(one.length) + named(one, held, true);
    if (types.isMap(one)) {
      for (const [key, item] of Map.prototype.entries.call(one)) held.push(key, item);
      return mapSize(one.size) + named(one, held, true);
    }
    if (types.isSet(one)) {
      held.push(...Set.prototype.values.call(one));
      return setSize(one.size) + named(one, held, true);
    }
    if (types.isDate(one)) return FIXED.date;
    if (types.isRegExp(one)) return FIXED.regexp;
    if (typeof one === 'function') return FIXED.closure + named(one, held, true);
    return named(one, held, false);
  }

  /** Bytes of an object's data that no other had counted. */
  #data(one: object): number {
    const tensor = tensorData(one);
    const block = tensor?.key ?? (types.isAnyArrayBuffer(one) ? one : null);
    if (block === null || this.#blocks.has(block)) return 0;
    this.#blocks.add(block);
    const bytes = tensor?.bytes ?? (one as ArrayBuffer).byteLength;
    const device = tensor?.device ?? 'cpu';
    this.arrays.set(device, (this.arrays.get(device) ?? 0) + bytes);
    return bytes;
  }
}

/** What own properties refer to; bytes of the object, or of its properties alone where it is more than an object. */
function named(one: object, held: unknown[], more: boolean): number {
  const isArray = Array.isArray(one);
  let names = 0;
  let elements = 0;
  const keys = Reflect.ownKeys(one);
  for (const key of keys) {
    const property = Reflect.getOwnPropertyDescriptor(one, key);
    if (isArray && key === 'length') continue;
    if (typeof key === 'string' && /^(0|[1-9]\d{0,9})$/.test(key)) elements++;
    else if (!(more && typeof one === 'function' && FUNCTION_OWN.has(key))) names++;
    if (property && 'value' in property) {
      // Numbers in arrays and elements lie in their slots, whatever they are.
      if (!(isArray && typeof property.value === 'number')) held.push(property.value);
    } else if (property) held.push(property.get, property.set);
  }
  if (holdsNames(names)) held.push(...keys.filter((key) => typeof key === 'string'));
  if (more) return slots(names);
  return recordSize(names) + slots(elements);
}

const FUNCTION_OWN: ReadonlySet<string | symbol> = new Set(['length', 'name', 'prototype']);

function nameOf(one: object): string {
  // By the prototype's own constructor: an inherited or own property of that name may be anything.
  const prototype: unknown = Object.getPrototypeOf(one);
  if (prototype === null || types.isProxy(prototype)) return 'Object';
  const made = Reflect.getOwnPropertyDescriptor(prototype as object, 'constructor')?.value;
  const name =
    typeof made === 'function' ? Reflect.getOwnPropertyDescriptor(made, 'name')?.value : '';
  return typeof name === 'string' && name ? name : 'Object';
}
