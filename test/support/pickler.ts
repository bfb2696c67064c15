/** A small pickler of plain data, in the manners of those that write snapshots. */
export type Plain =
  | null
  | boolean
  | number
  | bigint
  | string
  | Tuple
  | readonly Plain[]
  | { readonly [key: string]: Plain };

export class Tuple {
  readonly items: readonly Plain[];
  constructor(...items: readonly Plain[]) {
    this.items = items;
  }
}

export interface PicklerOptions {
  readonly protocol?: 2 | 3 | 4 | 5;
  /** `batches`: as Python, a thousand items at a time; `whole`: as PyTorch's own, all at once. */
  readonly lists?: 'batches' | 'whole';
  /** Remember containers and texts, as Python does; else texts only, each once. */
  readonly memo?: boolean;
}

export function pickle(value: Plain, options: PicklerOptions = {}): Uint8Array {
  const { protocol = 4, lists = 'batches', memo = true } = options;
  const out: number[] = [0x80, protocol];
  const seen = new Map<Plain, number>();
  let slots = 0;
  const u32 = (n: number) => [n & 255, (n >> 8) & 255, (n >> 16) & 255, (n >>> 24) & 255];
  const put = (item: Plain) => {
    const slot = slots++;
    seen.set(item, slot);
    if (protocol >= 4) out.push(0x94);
    else if (slot < 256) out.push(0x71, slot);
    else out.push(0x72, ...u32(slot));
  };
  const get = (slot: number) => out.push(...(slot < 256 ? [0x68, slot] : [0x6a, ...u32(slot)]));
  const filled = (count: number, each: (i: number) => void, one: number, many: number) => {
    const batch = lists === 'batches' ? 1000 : Number.POSITIVE_INFINITY;
    for (let start = 0; start < count; start += batch) {
      const end = Math.min(count, start + batch);
      const single = end - start === 1 && lists === 'batches';
      if (!single) out.push(0x28);
      for (let i = start; i < end; i++) each(i);
      out.push(single ? one : many);
    }
  };
  const whole = (n: bigint) => {
    const bytes: number[] = [];
    let rest = n;
    while (!((rest === 0n && (bytes.at(-1) ?? 0) < 128) || (rest === -1n && bytes.at(-1)! > 127))) {
      bytes.push(Number(rest & 255n));
      rest >>= 8n;
    }
    out.push(0x8a, bytes.length, ...bytes);
  };
  const text = (item: string) => {
    const bytes = new TextEncoder().encode(item);
    if (protocol >= 4 && bytes.length < 256) out.push(0x8c, bytes.length, ...bytes);
    else out.push(0x58, ...u32(bytes.length), ...bytes);
  };
  const save = (item: Plain): void => {
    const slot = typeof item === 'object' || typeof item === 'string' ? seen.get(item) : undefined;
    if (slot !== undefined) get(slot);
    else if (item === null) out.push(0x4e);
    else if (typeof item === 'boolean') out.push(item ? 0x88 : 0x89);
    else if (typeof item === 'bigint') whole(item);
    else if (typeof item === 'number') {
      if (!Number.isInteger(item)) {
        const view = new DataView(new ArrayBuffer(8));
        view.setFloat64(0, item);
        out.push(0x47, ...new Uint8Array(view.buffer));
      } else if (item >= 0 && item < 256) out.push(0x4b, item);
      else if (item >= 0 && item < 65536) out.push(0x4d, item & 255, item >> 8);
      else if (item >= -(2 ** 31) && item < 2 ** 31) out.push(0x4a, ...u32(item));
      else whole(BigInt(item));
    } else if (typeof item === 'string') {
      text(item);
      put(item);
    } else if (item instanceof Tuple) {
      if (item.items.length > 3) out.push(0x28);
      for (const part of item.items) save(part);
      out.push(...([[0x29], [0x85], [0x86], [0x87]][item.items.length] ?? [0x74]));
      if (memo) put(item);
    } else if (Array.isArray(item)) {
      out.push(0x5d);
      if (memo) put(item);
      filled(item.length, (i) => save(item[i] as Plain), 0x61, 0x65);
    } else {
      const entries = Object.entries(item as { [key: string]: Plain });
      out.push(0x7d);
      if (memo) put(item);
      const pair = (i: number) => {
        save(entries[i]![0]);
        save(entries[i]![1]);
      };
      filled(entries.length, pair, 0x73, 0x75);
    }
  };
  save(value);
  out.push(0x2e);
  return Uint8Array.from(out);
}
