import { describe, expect, it } from 'vitest';
import { Columns, decodeColumns, encodeColumns } from '../../src/model/columns.ts';

const ARRAYS = {
  'a name': Float64Array.of(1.5, Number.NaN, 2 ** 53),
  odd: Uint8Array.of(1, 2, 3),
  ids: Uint32Array.of(2 ** 32 - 1),
  none: new Float32Array(),
};

describe('columns', () => {
  it('come back as they went', () => {
    const bytes = encodeColumns({ type: 'test', names: ['ü', '</script>'] }, ARRAYS);
    const back = decodeColumns(bytes);
    expect(back).toBeInstanceOf(Columns);
    expect(back.header).toEqual({ type: 'test', names: ['ü', '</script>'] });
    expect(back.arrays).toEqual(ARRAYS);
    expect(back.f64('a name')[2]).toBe(2 ** 53);
    expect(() => back.f64('odd')).toThrow('no column odd of type Float64Array');
  });

  it('are read from the middle of a buffer', () => {
    const bytes = encodeColumns({}, ARRAYS);
    const moved = new Uint8Array(bytes.length + 3);
    moved.set(bytes, 3);
    expect(decodeColumns(moved.subarray(3)).arrays).toEqual(ARRAYS);
  });

  it('are refused when cut or of another kind', () => {
    const bytes = encodeColumns({}, ARRAYS);
    expect(() => decodeColumns(bytes.slice(0, bytes.length - 16))).toThrow('cut off');
    expect(() => decodeColumns(bytes.slice(0, 20))).toThrow('cut off');
    expect(() => decodeColumns(new Uint8Array(64))).toThrow('no columns');
  });
});
