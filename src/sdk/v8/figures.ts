type Memory = Pick<NodeJS.MemoryUsage, 'heapUsed' | 'heapTotal' | 'external'>;

/** What V8 holds now, and what was left after its last major collection. */
export class V8Figures {
  #collections = 0;
  #left: { heapUsed: number; external: number } | null = null;

  /** null: it has not collected yet. */
  get left(): Readonly<{ heapUsed: number; external: number }> | null {
    return this.#left;
  }

  /** V8 has collected. */
  collected({ heapUsed, external }: Memory): void {
    this.#collections++;
    this.#left = { heapUsed, external };
  }

  read(now: Memory): Record<string, number> {
    const left = this.#left;
    if (left) {
      // Buffers are given back beside the program: whatever is less, later, was left by then.
      left.heapUsed = Math.min(left.heapUsed, now.heapUsed);
      left.external = Math.min(left.external, now.external);
    }
    return {
      heap: now.heapUsed,
      committed: now.heapTotal,
      external: now.external,
      collections: this.#collections,
      ...(left && { left_heap: left.heapUsed, left_external: left.external }),
    };
  }
}
