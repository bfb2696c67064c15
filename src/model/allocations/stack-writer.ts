import type { RecordingBuilder } from '../builder.ts';
import { NO_ID } from './actions.ts';
import type { Frame } from './names.ts';

/** Fills `frames` and `stacks`, each place and each stack once. */
export class StackWriter {
  readonly #builder: RecordingBuilder;
  readonly #frames = new Map<string, number>();
  readonly #nodes = new Map<number, number>();
  #count = 0;

  constructor(builder: RecordingBuilder) {
    this.#builder = builder;
  }

  /** The row of `stacks` for frames of which the innermost stands first; NO_ID for none. */
  stack(frames: readonly Frame[]): number {
    let node = NO_ID;
    for (let i = frames.length - 1; i >= 0; i--) node = this.called(node, frames[i]!);
    return node;
  }

  /** The row for a stack (NO_ID: an empty one) with one call more. */
  called(by: number, frame: Frame): number {
    return this.#child(by, this.#frame(frame));
  }

  #child(parent: number, frame: number): number {
    // Both are numbers of things that take memory: their product stays exact.
    const key = (parent === NO_ID ? 0 : parent + 1) * 2 ** 26 + frame;
    let node = this.#nodes.get(key);
    if (node === undefined) {
      node = this.#count++;
      this.#nodes.set(key, node);
      this.#builder.table('stacks').push([parent === NO_ID ? node : parent, frame]);
    }
    return node;
  }

  #frame({ function: name, file, line }: Frame): number {
    const key = `${line} ${file.length} ${file}${name}`;
    let row = this.#frames.get(key);
    if (row === undefined) {
      row = this.#frames.size;
      this.#frames.set(key, row);
      const builder = this.#builder;
      builder.table('frames').push([builder.intern(name), builder.intern(file), line]);
    }
    return row;
  }
}
