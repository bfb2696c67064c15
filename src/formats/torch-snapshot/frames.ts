import { ListTrie } from '../pickle/list-trie.ts';
import type { Texts } from '../pickle/texts.ts';
import { type Cells, type Fields, type Shape, TAG } from '../pickle/values.ts';
import { KEY } from './keys.ts';

/**
 * Frames `{name, filename, line}` and lists of them, each different one once. A list begins with
 * the innermost frame; the tree begins with the outermost, so that callers are shared.
 */
export class Frames implements Shape {
  readonly marker = 'filename';
  /** Code places: lists of function, file and line, which make a frame's number. */
  readonly places = new ListTrie();
  readonly stacks = new ListTrie();

  add(fields: Fields): number {
    const { places } = this;
    const name = fields.tags[KEY.name] === TAG.text ? fields.low[KEY.name]! : EMPTY;
    const file = fields.tags[KEY.filename] === TAG.text ? fields.low[KEY.filename]! : EMPTY;
    const line = fields.tags[KEY.line] === TAG.int ? fields.low[KEY.line]! : 0;
    const whole = line > 0 && line < EMPTY ? line : 0;
    return places.child(places.child(places.child(-1, name), file), whole);
  }

  /** More frames of a list are callers of those it has. */
  append(list: number, { values }: Cells, from: number, to: number): number {
    let node = this.stacks.backward(values, from, to);
    if (list < 0) return node;
    const inner: number[] = [];
    for (let at = list; ; at = this.stacks.parents[at]!) {
      inner.push(this.stacks.items[at]!);
      if (this.stacks.parents[at] === at) break;
    }
    for (const frame of inner.reverse()) node = this.stacks.child(node, frame);
    return node;
  }

  /** The parts of a frame. */
  place(frame: number, texts: Texts): { name: string; file: string; line: number } {
    const { parents, items } = this.places;
    const file = parents[frame]!;
    const text = (id: number) => (id === EMPTY ? '' : texts.text(id));
    return { name: text(items[parents[file]!]!), file: text(items[file]!), line: items[frame]! };
  }
}

/** In place of a text that is missing. */
const EMPTY = 0xffffffff;
