import { describe, expect, it } from 'vitest';
import { TABLES, type TableSpec } from '../../src/model/schema.ts';
import { type Batch, TableBuffer } from '../../src/model/table.ts';
import { UpToMoment } from '../../src/record/threads/up-to-moment.ts';

function batch(...times: number[]): Batch {
  const buffer = new TableBuffer(TABLES.counters);
  for (const time of times) buffer.push([time]);
  return buffer.take();
}

describe('a recording of one moment', () => {
  const passed = () => {
    const got: (number[] | string)[] = [];
    const upTo = new UpToMoment((spec: TableSpec, { rows, columns }) =>
      got.push(
        spec.name === 'counters' ? [...(columns[0] as Float64Array)].slice(0, rows) : spec.name,
      ),
    );
    return { got, upTo };
  };

  it('keeps rows back until the moment is known, and no later one at all', () => {
    const { got, upTo } = passed();
    upTo.take(TABLES.counters, batch(1, 2));
    upTo.take(TABLES.counters, batch(3, 5, 9));
    upTo.take(TABLES.counters, batch(10, 11));
    expect(got).toEqual([]);
    upTo.end(5);
    expect(got).toEqual([
      [1, 2],
      [3, 5],
    ]);
    upTo.take(TABLES.counters, batch(5, 6));
    upTo.take(TABLES.counters, batch(12));
    upTo.end(100);
    upTo.take(TABLES.counters, batch(50));
    expect(got).toEqual([[1, 2], [3, 5], [5]]);
  });

  it('passes on who was there and what things are called, whenever that was said', () => {
    const { got, upTo } = passed();
    upTo.end(5);
    const strings = new TableBuffer(TABLES.strings);
    strings.push([7, 'late']);
    upTo.take(TABLES.strings, strings.take());
    expect(got).toEqual(['strings']);
  });

  it('loses nothing where the recording ended before there was one', () => {
    const { got, upTo } = passed();
    upTo.take(TABLES.counters, batch(1, 2));
    upTo.end(Number.POSITIVE_INFINITY);
    expect(got).toEqual([[1, 2]]);
  });
});
