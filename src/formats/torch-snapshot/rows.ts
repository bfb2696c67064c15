import { FormatError } from '../../base/errors.ts';

/** A device of a terabyte in blocks of 512 bytes would have more; nobody could use it. */
const MOST = 1 << 22;

/** Rows of a kind that a snapshot has few of: a column of doubles for each field, NaN when missing. */
export class Rows<Field extends string> {
  count = 0;
  readonly columns: Record<Field, Float64Array>;

  constructor(fields: readonly Field[]) {
    const columns = fields.map((field) => [field, new Float64Array(64).fill(Number.NaN)]);
    this.columns = Object.fromEntries(columns) as Record<Field, Float64Array>;
  }

  add(): number {
    const row = this.count++;
    if (row === MOST) throw new FormatError('has more segments or blocks than any snapshot');
    for (const [field, old] of Object.entries<Float64Array>(this.columns)) {
      if (row < old.length) return row;
      const bigger = new Float64Array(old.length * 2).fill(Number.NaN, old.length);
      bigger.set(old);
      this.columns[field as Field] = bigger;
    }
    return row;
  }
}
