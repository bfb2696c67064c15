import { tableFromArrays, tableFromIPC, tableToIPC } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { arrow } from '../../src/formats/arrow.ts';
import { makeInput } from '../../src/formats/input.ts';
import { PLAIN_TABLES, plainColumn } from '../../src/model/plain.ts';
import type { Recording } from '../../src/model/recording.ts';
import { savedFiles } from '../support/files.ts';
import { rowTexts } from '../support/rows.ts';
import { sampleRecording } from '../support/sample-recording.ts';

const read = (bytes: Uint8Array) =>
  arrow.read!(makeInput('t.arrow', () => [new Uint8Array(bytes)])) as Recording;
const write = (recording: Recording, table?: string) =>
  Buffer.concat([...(arrow.write!(recording, { table }) as Iterable<Uint8Array>)]);

describe('arrow', () => {
  it.each(PLAIN_TABLES)("is read alike by Arrow's own library: %s", (name) => {
    const recording = sampleRecording();
    const theirs = tableFromIPC(write(recording, name));
    const { spec, rows } = recording.table(name);
    expect(theirs.numRows).toBe(rows);
    for (const column of spec.columns) {
      const ours = Array.from<unknown>(plainColumn(recording, name, column));
      const nulls = ours.map((value) => (Number.isNaN(value) ? null : value));
      expect([...theirs.getChild(column.name)!]).toEqual(nulls);
    }
  });

  it('reads the file form too, as C++ and Rust write it: magic, stream, footer', () => {
    const stream = write(sampleRecording(), 'marks');
    const file = Buffer.concat([Buffer.from('ARROW1\0\0'), stream, Buffer.from('footer ARROW1')]);
    expect(rowTexts(read(file).table('marks'))).toEqual(rowTexts(read(stream).table('marks')));
  });

  it('reads a stream cut at any byte up to its last whole batch, and says so', () => {
    const whole = write(sampleRecording(), 'cgroup');
    for (let length = 0; length < whole.length - 8; length++) {
      try {
        const recording = read(whole.subarray(0, length));
        expect(recording.table('cgroup').rows).toBe(40);
      } catch (error) {
        expect(String(error)).toMatch(/^FormatError: .*t\.arrow/);
      }
    }
  });

  it.each<[string, () => Uint8Array, RegExp]>([
    ['columns of no table', () => ipc({ a: [1.5] }), /no table is known with the columns a/],
    ['other types', () => ipc({ parent: new Int32Array(1), frame: new Int32Array(1) }), /type int/],
    ['dictionaries', () => ipc({ tag: ['a', 'b'] }), /column tag/],
    ['ids without texts', () => savedFiles(sampleRecording()).get('marks.arrow')!, /kind is u32/],
    ['no rows', () => write(sampleRecording(0)), /no whole row/],
    ['another table', () => new Uint8Array(Buffer.from('not arrow at all')), /no Arrow stream/],
  ])('refuses %s', (_, bytes, message) => {
    expect(() => read(bytes())).toThrow(message);
  });

  it('refuses infinite values', () => {
    const bytes = ipc({ time: [0], used: [Number.POSITIVE_INFINITY], recorder_anon: [0] });
    expect(() => read(bytes)).toThrow(/used has infinite values/);
  });
});

function ipc(columns: Parameters<typeof tableFromArrays>[0]): Uint8Array {
  return tableToIPC(tableFromArrays(columns), 'stream');
}
