import type { RecordingBuilder } from '../builder.ts';
import { NO_ID } from './actions.ts';
import type { Frame } from './names.ts';

/** Fills `frames` and `stacks`, each place and each stack once. */
export class StackWriter {
  readonly #builder: RecordingBuilder;
  readonly #frames = new Map<string, number>();
  /** By frame, then by the caller's row (-1: none): large keys would be slow to find. */
  readonly #nodes: Map<number, number>[] = [];
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
    let byCaller = this.#nodes[frame];
    if (!byCaller) {
      byCaller = new Map();
      this.#nodes[frame] = byCaller;
    }
    const caller = parent === NO_ID ? -1 : parent;
    let node = byCaller.get(caller);
    if (node === undefined) {
      node = this.#count++;
      byCaller.set(caller, node);
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
