import { FormatError } from '../../base/errors.ts';
import { releaseMemory } from '../../base/release-memory.ts';
import { Containers } from './containers.ts';
import { ListTrie } from './list-trie.ts';
import type { PickleMachine } from './machine.ts';
import { Memory } from './memory.ts';
import { Objects } from './objects.ts';
import { readRecords } from './record.ts';
import { step } from './step.ts';
import { Texts } from './texts.ts';
import type { PickleValue, Shape } from './values.ts';

/** The longest opcode with its fixed part: the loop runs while this much is there. */
const MARGIN = 16;
const CAPACITY = 1 << 20;
/** The end of a piece is read with the next one: near it, records have to be read one opcode at a time. */
const LEFT_FOR_NEXT = 1 << 12;
const EMPTY_DICT = 0x7d;
/** Picklers remember no more than one value in so many bytes of a large file. */
const BYTES_A_MEMO = 16;

/** What a pickle may hold besides records. */
interface PlainParts {
  /** `module.Class` of objects that are nothing but their attributes, which are read as the dict of these. */
  readonly inert?: ReadonlySet<string> | null;
  /** So many values in lists, tuples and dicts. */
  readonly mostCells?: number;
}

/**
 * Reads a pickle of plain data, piece by piece. It is a machine of its own, not Python's: it knows
 * no names and calls nothing, dicts of known shapes go straight into columns, and what grows with
 * the file is five bytes for each memoised object.
 */
export class Unpickler {
  readonly texts = new Texts();
  readonly objects: Objects;
  readonly #name: string;
  readonly #machine: PickleMachine;
  #buffer = new Uint8Array(CAPACITY + MARGIN);
  #filled = 0;
  /** Where the buffer's first byte is in the file. */
  #offset = 0;
  /** Where the opcode at work begins in the buffer, for messages. */
  #at = 0;

  /**
   * `keys` get the text ids 0, 1, 2 …, so that shapes can know them by number; `size` is that of the
   * file, as far as it is known. `plain`: what besides records it may hold.
   */
  constructor(
    name: string,
    keys: readonly string[],
    shapes: readonly Shape[],
    size: number,
    { inert = null, mostCells }: PlainParts = {},
  ) {
    this.#name = name;
    for (const key of keys) this.texts.internText(key);
    const { texts } = this;
    const trie = new ListTrie();
    const objects = new Objects(texts, trie, shapes, mostCells);
    const memory = new Memory(Math.ceil(size / BYTES_A_MEMO));
    const containers = new Containers(memory, objects, trie, keys, shapes);
    this.objects = objects;
    this.#machine = { memory, containers, objects, texts, skip: 0, inert, result: undefined };
  }

  get done(): boolean {
    return this.#machine.result !== undefined;
  }

  /** Takes the next piece of the file, which the caller may use again afterwards. */
  push(piece: Uint8Array): void {
    for (let taken = 0; taken < piece.length && !this.done; ) {
      const skipped = Math.min(this.#machine.skip, piece.length - taken);
      if (skipped > 0) {
        this.#machine.skip -= skipped;
        this.#offset += skipped;
        taken += skipped;
        continue;
      }
      const room = this.#buffer.length - MARGIN - this.#filled;
      const part = piece.subarray(taken, taken + room);
      this.#buffer.set(part, this.#filled);
      this.#filled += part.length;
      taken += part.length;
      this.#work(this.#filled - LEFT_FOR_NEXT);
    }
  }

  /** The value, once the whole file was pushed. */
  end(): PickleValue {
    if (!this.done) {
      // What is passed over ends a stretch of opcodes: there may be several in what is left.
      for (let left = Number.POSITIVE_INFINITY; this.#filled < left && !this.done; ) {
        left = this.#filled;
        this.#buffer.fill(0, left, left + MARGIN);
        this.#work(left);
      }
    }
    if (this.#machine.result === undefined) throw this.#cutOff();
    return this.#machine.result;
  }

  /** Gives back, after the end, the memory of what the pickle could have referred to. */
  async forget(): Promise<void> {
    const { memoTags, memoValues } = this.#machine.memory;
    await releaseMemory([memoTags.buffer, memoValues.buffer]);
  }

  #error(at: number, what: string, options: { hint?: string } = {}): FormatError {
    return new FormatError(`${this.#name}: ${what} (at byte ${at})`, options);
  }

  /** Runs opcodes that begin before `limit`, and keeps what is left of the buffer. */
  #work(limit: number): void {
    const before = this.#offset;
    let used = 0;
    try {
      used = this.#run(limit);
    } catch (error) {
      if (!(error instanceof FormatError) || error.message.startsWith(this.#name)) throw error;
      throw this.#error(before + this.#at, error.message, { hint: error.hint });
    }
    const skipped = Math.min(this.#machine.skip, this.#filled - used);
    this.#machine.skip -= skipped;
    used += skipped;
    this.#buffer.copyWithin(0, used, this.#filled);
    this.#filled -= used;
    this.#offset += used;
    if (used === 0 && this.#filled + MARGIN >= this.#buffer.length) {
      const grown = new Uint8Array(this.#buffer.length * 2);
      grown.set(this.#buffer.subarray(0, this.#filled));
      this.#buffer = grown;
    }
  }

  /** Returns how many bytes of the buffer are done with. */
  #run(limit: number): number {
    const machine = this.#machine;
    const { memory } = machine;
    const bytes = this.#buffer;
    const filled = this.#filled;
    let pos = 0;
    while (pos < limit && machine.skip === 0 && !this.done) {
      this.#at = pos;
      memory.reserve();
      let next = bytes[pos] === EMPTY_DICT ? readRecords(machine, bytes, pos, limit, filled) : pos;
      if (next === pos) next = step(machine, bytes, pos, filled);
      if (next < 0) return pos;
      pos = next;
    }
    // The fixed part of the last opcode was read from the padding.
    if (pos > filled) throw this.#cutOff();
    return pos;
  }

  #cutOff(): FormatError {
    return this.#error(this.#offset + this.#filled, 'ends in the middle of a value', {
      hint: 'it was cut off: copy it again',
    });
  }
}
