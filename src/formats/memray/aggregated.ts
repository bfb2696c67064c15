import { NO_ID } from '../../model/allocations/actions.ts';
import type { HeapProfileWriter } from '../heap-profile/writer.ts';
import type { Bytes } from './bytes.ts';
import { type Definitions, isDefinition } from './definitions.ts';
import type { Header } from './header.ts';
import { allocatorOf } from './kinds.ts';
import type { Stacks } from './stacks.ts';

const MOMENT = 1;
const SUMS = 2;
const STACK = 3;
const FRAME = 4;
const OBJECT = 13;

interface Sums {
  readonly thread: number;
  readonly kind: string;
  readonly stack: number;
  readonly objects: number;
  readonly leftObjects: number;
  readonly bytes: number;
  readonly leftBytes: number;
}

/** Records of `memray run --aggregate`: sums by call stack, which the program's end wrote. */
export class Aggregated {
  readonly #bytes: Bytes;
  readonly #header: Header;
  readonly #stacks: Stacks;
  readonly #definitions: Definitions;
  readonly #frames: { code: number; instruction: number }[] = [];
  /** From number 1 on. */
  readonly #nodes: { frame: number; parent: number }[] = [{ frame: -1, parent: 0 }];
  readonly #sums: Sums[] = [];

  constructor(bytes: Bytes, header: Header, stacks: Stacks, definitions: Definitions) {
    this.#bytes = bytes;
    this.#header = header;
    this.#stacks = stacks;
    this.#definitions = definitions;
  }

  record(type: number): void {
    const bytes = this.#bytes;
    switch (type) {
      case MOMENT:
        bytes.skip(24);
        return;
      case SUMS:
        this.#sum();
        return;
      case STACK: {
        const [frame, parent] = [bytes.varint(), bytes.varint()];
        if (parent >= this.#nodes.length) throw bytes.refusal('has a stack without its caller');
        this.#nodes.push({ frame, parent });
        return;
      }
      case FRAME: {
        const [id, code, instruction] = [bytes.varint(), bytes.varint(), bytes.signed()];
        bytes.skip(1);
        if (id !== this.#frames.length) throw bytes.refusal('has frames in another order');
        this.#frames.push({ code, instruction });
        return;
      }
      case OBJECT:
        bytes.varint();
        if (this.#header.native) bytes.varint();
        return;
    }
    if (!isDefinition(type)) throw bytes.refusal(`has a record of an unknown kind (${type})`);
    this.#definitions.read(type);
  }

  write(writer: HeapProfileWriter): void {
    for (const { thread, stack, ...row } of this.#sums) {
      writer.add(this.#stack(stack, thread === this.#header.mainThread), row);
    }
  }

  /** Laid out as in memory: numbers of 64 bits, what was called as a byte with seven unused ones behind it. */
  #sum(): void {
    const bytes = this.#bytes;
    const thread = bytes.u64();
    const id = bytes.byte();
    bytes.skip(7);
    const allocator = allocatorOf(id);
    if (!allocator) throw bytes.refusal(`has sums of an unknown allocator (${id})`);
    bytes.skip(8);
    const stack = bytes.u64();
    if (stack >= this.#nodes.length) throw bytes.refusal('has sums of a stack that is missing');
    bytes.skip(8);
    const [objects, leftObjects] = [bytes.u64(), bytes.u64()];
    const [most, left] = [bytes.u64(), bytes.u64()];
    const { kind } = allocator;
    this.#sums.push({ thread, kind, stack, objects, leftObjects, bytes: most, leftBytes: left });
  }

  #stack(node: number, isMain: boolean): number {
    const chain: number[] = [];
    for (let at = node; at > 0; at = this.#nodes[at]!.parent) chain.push(this.#nodes[at]!.frame);
    let stack = NO_ID;
    for (const frame of chain.reverse().slice(isMain ? this.#header.skipped : 0)) {
      const call = this.#frames[frame];
      if (!call) throw this.#bytes.refusal('has a stack with a frame that is missing');
      stack = this.#stacks.called(stack, call.code, call.instruction);
    }
    return stack;
  }
}
