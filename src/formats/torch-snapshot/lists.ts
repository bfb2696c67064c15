import { FormatError } from '../../base/errors.ts';
import { type Cells, isRef, type PickleValue, type Shape } from '../pickle/values.ts';

/** In place of the row of a dict that is not kept. */
export const LEFT_OUT = 0xffffffff;
/** Picklers write a list's dicts one after the other; a file that does not was made by hand. */
const MOST_STRETCHES = 1 << 20;

/** Lists of rows: stretches of consecutive rows, of which most lists have one. */
export class RowLists {
  readonly #starts: number[][] = [];
  readonly #ends: number[][] = [];
  readonly #lengths: number[] = [];
  #stretches = 0;

  append(list: number, { values }: Cells, from: number, to: number): number {
    const id = list >= 0 ? list : this.#new();
    const starts = this.#starts[id]!;
    const ends = this.#ends[id]!;
    for (let i = from; i < to; i++) {
      const row = values[i]!;
      if (row === LEFT_OUT) continue;
      if (ends.length > 0 && ends[ends.length - 1] === row) ends[ends.length - 1] = row + 1;
      else {
        if (++this.#stretches > MOST_STRETCHES) throw new FormatError('lists dicts out of order');
        starts.push(row);
        ends.push(row + 1);
      }
    }
    this.#lengths[id]! += to - from;
    return id;
  }

  length(list: number): number {
    return this.#lengths[list] ?? 0;
  }

  stretches(list: number): { start: number; end: number }[] {
    return this.#starts[list]!.map((start, i) => ({ start, end: this.#ends[list]![i]! }));
  }

  *rows(list: number): Generator<number> {
    for (const { start, end } of this.stretches(list)) for (let r = start; r < end; r++) yield r;
  }

  #new(): number {
    this.#starts.push([]);
    this.#ends.push([]);
    return this.#lengths.push(0) - 1;
  }
}

/** The number of a list of records of a shape; null for an empty or a missing one. */
export function listOf(shape: Shape, value: PickleValue | undefined, wrong: string): number | null {
  if (isRef(value) && value.shape === shape && value.kind === 'list') return value.id;
  const empty =
    value === undefined || value === null || (Array.isArray(value) && value.length === 0);
  if (!empty) throw new FormatError(wrong);
  return null;
}
