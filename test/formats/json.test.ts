import { describe, expect, it } from 'vitest';
import { makeInput } from '../../src/formats/input.ts';
import { json } from '../../src/formats/json.ts';
import type { Recording } from '../../src/model/recording.ts';
import { allRows } from '../support/rows.ts';
import { sampleRecording } from '../support/sample-recording.ts';

const text = [...json.write!(sampleRecording(3))].join('');
const read = (value: string) =>
  json.read!(makeInput('r.json', () => [new TextEncoder().encode(value)])) as Recording;

type Json = { [key: string]: Json } & Json[];

/** The sample with one thing changed. */
function changed(change: (root: Json) => void): string {
  const root = JSON.parse(text) as Json;
  change(root);
  return JSON.stringify(root);
}
const set = (object: Json, key: string, value: unknown) => Object.assign(object, { [key]: value });

describe('json', () => {
  it('keeps every row of every table, and the run', () => {
    const original = sampleRecording(3);
    expect(allRows(read(text))).toEqual(allRows(original));
    expect(read(text).run).toEqual(original.run);
  });

  it('has null for what was not measured and strings for addresses', () => {
    const root = JSON.parse(text) as Json;
    expect(root.tables!.host!.columns!.MemFree![0]).toBeNull();
    expect(root.tables!.allocations!.columns!.address![2]).toBe('18446744073709551615');
  });

  it.each<[string, (root: Json) => void, RegExp]>([
    [
      'a newer version',
      (r) => set(set(r, 'schemaVersion', 99).run!, 'schemaVersion', 99),
      /version 99/,
    ],
    ['two versions', (r) => set(r, 'schemaVersion', 98), /two different schemaVersions/],
    ['no run', (r) => set(r, 'run', []), /no 'run' object/],
    ['a wrong run', (r) => set(r.run!, 'warnings', 'none'), /run.warnings/],
    ['no tables', (r) => set(r, 'tables', null), /no 'tables' object/],
    ['an unknown table', (r) => set(r.tables!, 'hosts', {}), /no table is called 'hosts'/],
    ['an unknown column', (r) => set(r.tables!.marks!.columns!, 'x', []), /no column 'x'/],
    ['lengths', (r) => set(r.tables!.marks!.columns!, 'pid', [1]), /different lengths/],
    ['a lost column', (r) => set(r.tables!.marks!.columns!, 'kind', undefined), /no column kind/],
    ['text', (r) => set(r.tables!.host!.columns!.time!, '1', '1'), /row 2: "1" has no place there/],
    ['a fraction', (r) => set(r.tables!.process!.columns!.pid!, '0', 1.5), /row 1: 1.5/],
    ['a number', (r) => set(r.tables!.allocations!.columns!.address!, '0', 7), /row 1: 7/],
    ['65 bits', (r) => set(r.tables!.allocations!.columns!.address!, '0', `${2n ** 64n}`), /row 1/],
    ['time', (r) => set(r.tables!.host!.columns!.time!, '1', -1), /out of order in time/],
    ['null', (r) => set(r.tables!.host!.columns!.time!, '1', null), /out of order in time/],
  ])('refuses %s', (_, change, message) => {
    expect(() => read(changed(change))).toThrow(message);
  });

  it('reads a recording of an older version', () => {
    const older = changed((r) => {
      set(r, 'schemaVersion', 1);
      set(r.run!, 'schemaVersion', 1);
      set(r.run!, 'foldedSeconds', undefined);
    });
    expect(read(older).run).toEqual({ ...sampleRecording(3).run, allocator: null });
  });

  it('reads an older recording without a newer column as null', () => {
    const older = changed((r) => set(r.tables!.process!.columns!, 'hwm', undefined));
    expect(read(older).table('process').f64('hwm')[0]).toBeNaN();
  });

  it('refuses cut text at any length', () => {
    for (let length = 1; length < text.length - 2; length += 97) {
      expect(() => read(text.slice(0, length))).toThrow(/r.json/);
    }
  });
});
