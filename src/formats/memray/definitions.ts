import type { Bytes } from './bytes.ts';
import type { Stacks } from './stacks.ts';

const NATIVE_FRAME = 5;
const MAPS_START = 6;
const MAPS = 7;
const SEGMENT = 8;
const THREAD_NAME = 10;
const CONTEXT = 12;
const CODE = 14;
const DEFINITIONS: ReadonlySet<number> = new Set([
  ...[NATIVE_FRAME, MAPS_START, MAPS, SEGMENT, THREAD_NAME, CONTEXT, CODE],
]);

export const isDefinition = (type: number): boolean => DEFINITIONS.has(type);

/** Records that both kinds of captures have: code of functions, threads, libraries. */
export class Definitions {
  readonly #bytes: Bytes;
  readonly #stacks: Stacks;
  #line = 0;

  constructor(bytes: Bytes, stacks: Stacks) {
    this.#bytes = bytes;
    this.#stacks = stacks;
  }

  /** The thread that goes on, where the record says that; else null. */
  read(type: number): number | null {
    const bytes = this.#bytes;
    switch (type) {
      case CONTEXT:
        return bytes.u64();
      case CODE: {
        const id = bytes.varint();
        const [name, file] = [bytes.text(), bytes.text()];
        this.#line += bytes.signed();
        const table = bytes.blob(bytes.varint());
        this.#stacks.define(id, { name, file, firstLine: this.#line, table });
        return null;
      }
      case THREAD_NAME:
        bytes.text();
        return null;
      case NATIVE_FRAME:
        bytes.signed();
        bytes.signed();
        return null;
      case MAPS:
        bytes.text();
        bytes.varint();
        bytes.skip(8);
        return null;
      case SEGMENT:
        bytes.skip(8);
        bytes.varint();
        return null;
    }
    return null;
  }
}
