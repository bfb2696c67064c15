import { tableFromIPC } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { ArrowEncoder } from '../../src/model/arrow-writer.ts';
import type { Cell } from '../../src/model/column-data.ts';
import { hostTable, TABLES, type TableSpec } from '../../src/model/schema.ts';
import { TableBuffer } from '../../src/model/table.ts';

/** Our writer against the library that everybody reads Arrow with. */
describe.each([...Object.values(TABLES), hostTable(['MemTotal', 'Active(anon)'])] as TableSpec[])(
  'table $name, read by apache-arrow',
  (spec) => {
    const cell = (type: string, row: number): Cell => {
      if (type === 'f64') return row % 3 === 1 ? null : row * 1.5e9;
      if (type === 'u64') return 2n ** 64n - 1n - BigInt(row);
      return type === 'utf8' ? ['', 'größer ☃', 'x'.repeat(row)][row % 3]! : row % 200;
    };
    const rows = Array.from({ length: 21 }, (_, row) => spec.columns.map((c) => cell(c.type, row)));
    const encoder = new ArrowEncoder(spec);
    const buffer = new TableBuffer(spec);
    const batches = [rows.slice(0, 1), rows.slice(1, 9), rows.slice(9)].map((part) => {
      for (const row of part) buffer.push(row);
      return encoder.encode(buffer.take());
    });
    const table = tableFromIPC([encoder.schemaBytes, ...batches]);

    it('has the columns, their nullability, units and meaning', () => {
      expect(table.schema.metadata.get('highwater.table')).toBe(spec.name);
      expect(
        table.schema.fields.map((field) => ({
          name: field.name,
          nullable: field.nullable,
          unit: field.metadata.get('unit'),
          meaning: field.metadata.get('meaning'),
        })),
      ).toEqual(
        spec.columns.map(({ name, type, unit, meaning }) => ({
          name,
          nullable: type === 'f64',
          unit,
          meaning,
        })),
      );
    });

    it('has every cell of every batch', () => {
      expect(table.batches).toHaveLength(3);
      const read = table.toArray().map((row) => spec.columns.map((c) => row?.[c.name]));
      expect(read).toEqual(rows);
    });
  },
);
