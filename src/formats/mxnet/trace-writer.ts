import { ACTION, BLOCK_STATE, NO_ID, SEGMENT_KIND } from '../../model/allocations/actions.ts';
import type { RecordingBuilder } from '../../model/builder.ts';

interface Block {
  readonly address: bigint;
  readonly bytes: number;
  readonly device: number;
}

/**
 * Bookkeeping of events that tell no addresses: each allocation gets bytes of its own, never used
 * again. Such lines are written where memory is taken from the device, so that every allocation is
 * a segment too.
 */
export class TraceWriter {
  readonly #builder: RecordingBuilder;
  readonly #tags = new Map<string, number>();
  /** What is live, by tag, size and device: which of several equal ones goes does not matter. */
  readonly #live = new Map<string, Block[]>();
  #next = 4096n;
  allocations = 0;
  /** Releases that tell a size and a tag that nothing live has. */
  unmatched = 0;

  constructor(builder: RecordingBuilder) {
    this.#builder = builder;
  }

  allocate(bytes: number, tag: string, device: number): void {
    const block = { address: this.#next, bytes, device };
    this.#next += BigInt(Math.max(1, bytes));
    this.allocations++;
    const key = keyOf(bytes, tag, device);
    const same = this.#live.get(key);
    if (same) same.push(block);
    else this.#live.set(key, [block]);
    this.#push(ACTION.segment_alloc, block, NO_ID);
    this.#push(ACTION.alloc, block, this.#tagRow(tag));
  }

  release(bytes: number, tag: string, device: number): void {
    const block = this.#live.get(keyOf(bytes, tag, device))?.pop();
    if (block === undefined) {
      this.unmatched++;
      return;
    }
    this.#push(ACTION.free_completed, block, this.#tagRow(tag));
    this.#push(ACTION.segment_free, block, NO_ID);
  }

  /** Writes down what is left: a trace is replayed backward from its end. */
  close(): void {
    const segments = this.#builder.table('segments');
    const blocks = this.#builder.table('blocks');
    for (const { address, bytes, device } of [...this.#live.values()].flat()) {
      const { allocated } = BLOCK_STATE;
      blocks.push([segments.rows, address, bytes, bytes, allocated, NO_ID]);
      segments.push([device, address, bytes, NO_ID, SEGMENT_KIND.unknown, 0, NO_ID]);
    }
  }

  #push(action: number, { address, bytes, device }: Block, tag: number): void {
    const cells = [null, device, NO_ID, action, address, bytes, NO_ID, tag];
    this.#builder.table('allocations').push(cells);
  }

  #tagRow(tag: string): number {
    let row = this.#tags.get(tag);
    if (row === undefined) {
      row = this.#tags.size;
      this.#tags.set(tag, row);
      this.#builder.table('tags').push([this.#builder.intern(tag)]);
    }
    return row;
  }
}

const keyOf = (bytes: number, tag: string, device: number) => `${device} ${bytes} ${tag}`;
