/** Numbers are handed out so far; a heap has millions of texts, and beyond this a hash tells them apart. */
const MOST = 1 << 19;
/** Longer texts are remembered by their hash. */
const LONG = 64;

/** What stands for something that was taken out: the same for the same, and another for another. */
export class Placeholders {
  readonly #known = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  // Nobody else can try which name makes a hash.
  readonly #seeds = [Math.random() * 2 ** 32, Math.random() * 2 ** 32] as const;

  of(kind: string, what: string): string {
    const key = `${kind} ${what.length > LONG ? `${what.length} ${this.#hash(what)}` : what}`;
    let found = this.#known.get(key);
    if (found === undefined) {
      if (this.#known.size >= MOST) return `${kind}_${this.#hash(what)}`;
      const count = (this.#counts.get(kind) ?? 0) + 1;
      this.#counts.set(kind, count);
      found = `${kind}${count}`;
      this.#known.set(key, found);
    }
    return found;
  }

  /** As `of`, but only what was taken out before. */
  known(kind: string, what: string): string | undefined {
    return this.#known.get(`${kind} ${what}`);
  }

  #hash(text: string): string {
    const [a, b] = this.#seeds;
    return mixed(text, a).toString(36) + mixed(text, b).toString(36);
  }
}

/** 53 bits of a text (cyrb53, in the public domain). */
function mixed(text: string, seed: number): number {
  let [a, b] = [0xdeadbeef ^ seed, 0x41c6ce57 ^ seed];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0);
}
