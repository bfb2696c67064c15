import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/base/errors.ts';
import { decodeStream } from '../../src/model/arrow-reader.ts';
import { ArrowEncoder } from '../../src/model/arrow-writer.ts';
import { tableSpec } from '../../src/model/schema.ts';
import { Table, TableBuffer } from '../../src/model/table.ts';
import { inOrder, rowTexts } from '../support/rows.ts';

const spec = tableSpec('marks');
const encoder = new ArrowEncoder(spec);
const buffer = new TableBuffer(spec);
for (let i = 0; i < 10; i++) {
  const numbers = { epoch: i % 2 ? null : i, iteration: i, value: 0.5 };
  buffer.push(inOrder(spec, { time: i, pid: 1, kind: i, name: i, ...numbers }));
}
const batch = buffer.take();
const whole = new Uint8Array([...encoder.schemaBytes, ...encoder.encode(batch)]);

/** A reader for bytes that nothing vouches for: it ends, soon, with rows or a FormatError. */
describe('the Arrow reader', () => {
  it('reads what the encoder wrote, in one piece or several', () => {
    const rows = rowTexts(new Table(spec, [batch]));
    for (const pieces of [[whole], [encoder.schemaBytes, encoder.encode(batch)]]) {
      const { batches, cutBytes } = decodeStream('marks', pieces);
      expect(rowTexts(new Table(spec, batches))).toEqual(rows);
      expect(cutBytes).toBe(0);
    }
  });

  it('does not copy, unless the bytes lie askew', () => {
    const shared = decodeStream('marks', [whole]).batches[0]!.columns[0] as Float64Array;
    expect(shared.buffer).toBe(whole.buffer);
    const askew = new Uint8Array(whole.length + 1);
    askew.set(whole, 1);
    const moved = decodeStream('marks', [askew.subarray(1)]).batches[0]!.columns[0];
    expect(moved).toEqual(shared);
  });

  it('ends with rows or a FormatError for every word of a header', () => {
    const words = [0, 1, 7, 0x7fffffff, 0x80000000, 0xffffffff, whole.length];
    for (let at = 0; at + 4 <= whole.length; at += 2) {
      for (const word of words) {
        const changed = whole.slice();
        new DataView(changed.buffer).setUint32(at, word, true);
        try {
          decodeStream('marks', [changed]);
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError);
        }
      }
    }
  });

  it('does not read the same long text again and again', () => {
    const long = { ...spec, meaning: 'x'.repeat(5 << 20) };
    expect(() => decodeStream('marks', [new ArrowEncoder(long).schemaBytes])).toThrow(
      'the texts in a header are too long',
    );
  });
});
