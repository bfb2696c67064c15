import { describe, expect, it } from 'vitest';
import { TABLES, tableSpec } from '../../src/model/schema.ts';
import { soundTable } from '../../src/model/sound-table.ts';
import { Table, TableBuffer } from '../../src/model/table.ts';
import { inOrder } from '../support/rows.ts';

const { NaN: NONE, POSITIVE_INFINITY: ENDLESS } = Number;

function hostTable(times: readonly number[], anon: readonly number[] = []): Table {
  const buffer = new TableBuffer(tableSpec('host', ['AnonPages']));
  for (const [i, time] of times.entries()) {
    buffer.push(inOrder(buffer.spec, { time, AnonPages: anon[i] ?? 10 * i }));
  }
  return new Table(buffer.spec, [buffer.take()]);
}

const timesOf = (table: Table) => [...table.f64('time')];

describe('what a checksum vouches for and cannot be', () => {
  it('leaves a sound table as it is', () => {
    const table = hostTable([0, 1, 1, 2], [5, NONE, 7, -3]);
    expect(soundTable(table)).toEqual({ table, damage: [] });
    expect(soundTable(table).table).toBe(table);
  });

  it.each([
    ['none', [0, NONE, 2, 3], [0, 2, 3]],
    ['endless', [0, 1, ENDLESS, 3], [0, 1, 3]],
    ['far beyond any clock', [0, 1e300, 2, 3], [0, 2, 3]],
    ['going back', [0, 10, 20, 5, 30], [0, 10, 20, 30]],
    ['ahead of all that follow', [0, 9e9, 2, 3, 4], [0, 2, 3, 4]],
    ['all of these', [NONE, 5, -ENDLESS, 1, 2, NONE, 1, 3], [1, 2, 3]],
    ['no time at all', [NONE, NONE], []],
  ])('a time that is %s costs its own row', (_, times, kept) => {
    const { table, damage } = soundTable(hostTable(times));
    const found = timesOf(table);
    expect(found).toHaveLength(kept.length);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
    expect(found.at(-1)).toBe(kept.at(-1));
    const lost = times.length - kept.length;
    expect(damage).toEqual([
      `table host: ${lost} row${lost === 1 ? '' : 's'} with a time that is none or goes back left out, ${kept.length} rows kept`,
    ]);
  });

  it('keeps the columns of a row together', () => {
    const { table } = soundTable(hostTable([0, NONE, 20, 10, 30]));
    const [times, anon] = [timesOf(table), [...table.f64('AnonPages')]];
    expect(times).toHaveLength(3);
    expect(anon).toEqual(times.map((time) => ({ 0: 0, 20: 20, 10: 30, 30: 40 })[time]));
  });

  it('puts what several processes told into its order, as no damage', () => {
    const marks = new TableBuffer(TABLES.marks);
    for (const [time, iteration] of [
      [5, 1],
      [3, 2],
      [NONE, 3],
      [4, 4],
    ]) {
      marks.push(inOrder(marks.spec, { time, iteration }));
    }
    const { table, damage } = soundTable(new Table(marks.spec, [marks.take()]));
    expect(timesOf(table)).toEqual([3, 4, 5]);
    expect([...table.f64('iteration')]).toEqual([2, 4, 1]);
    expect(damage).toEqual([expect.stringContaining('1 row with a time that is none')]);
  });

  it('takes figures that nothing can measure for not measured', () => {
    const { table, damage } = soundTable(hostTable([0, 1, 2], [ENDLESS, 7, -1e300]));
    expect([...table.f64('AnonPages')]).toEqual([NONE, 7, NONE]);
    expect(damage).toEqual(['table host: 2 figures that nothing can measure left out']);
  });
});
