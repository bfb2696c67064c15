/** Blocks by address, and what was mapped by range: memory may be unmapped in parts. */
export class LiveBlocks {
  readonly #blocks = new Map<number, Block>();
  #ranges: Range[] = [];
  readonly #change: (site: number, bytes: number, objects: number) => void;

  /** `change` is told of everything that comes and goes. */
  constructor(change: (site: number, bytes: number, objects: number) => void) {
    this.#change = change;
  }

  made(address: number, size: number, site: number): void {
    this.freed(address);
    this.#blocks.set(address, { size, site });
    this.#change(site, size, 1);
  }

  /** What was made before the capture began is not known, and no matter. */
  freed(address: number): void {
    const block = this.#blocks.get(address);
    if (!block) return;
    this.#blocks.delete(address);
    this.#change(block.site, -block.size, -1);
  }

  mapped(address: number, size: number, site: number): void {
    this.#ranges.push({ from: address, to: address + size, site });
    this.#change(site, size, 1);
  }

  unmapped(address: number, size: number): void {
    const end = address + size;
    if (!this.#ranges.some(({ from, to }) => from < end && to > address)) return;
    this.#ranges = this.#ranges.flatMap((range) => {
      const { from, to, site } = range;
      const gone = Math.min(to, end) - Math.max(from, address);
      if (gone <= 0) return [range];
      const left = [
        { from, to: Math.min(to, address), site },
        { from: Math.max(from, end), to, site },
      ].filter((part) => part.to > part.from);
      this.#change(site, -gone, left.length - 1);
      return left;
    });
  }
}

interface Block {
  readonly size: number;
  readonly site: number;
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly site: number;
}
