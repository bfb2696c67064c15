/** What a PDF must know of a TrueType font to set text in it (OpenType: cmap format 4, hhea, hmtx, head). */
export interface TrueType {
  readonly bytes: Uint8Array;
  /** In thousandths of the size. */
  readonly ascent: number;
  readonly descent: number;
  readonly box: readonly [number, number, number, number];
  glyph(codePoint: number): number;
  /** The width of a glyph, in thousandths of the size. */
  width(glyph: number): number;
}

export function readTrueType(bytes: Uint8Array): TrueType {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const tables = new Map<string, number>();
  for (let i = 0; i < view.getUint16(4); i++) {
    const at = 12 + 16 * i;
    tables.set(String.fromCharCode(...bytes.subarray(at, at + 4)), view.getUint32(at + 8));
  }
  const table = (name: string) => {
    const at = tables.get(name);
    if (at === undefined) throw new Error(`the bundled font has no table ${name}`);
    return at;
  };
  const [head, hhea, hmtx] = [table('head'), table('hhea'), table('hmtx')];
  const scale = 1000 / view.getUint16(head + 18);
  const signed = (at: number) => Math.round(view.getInt16(at) * scale);
  const widths = view.getUint16(hhea + 34);
  const map = unicodeMap(view, table('cmap'));
  return {
    bytes,
    ascent: signed(hhea + 4),
    descent: signed(hhea + 6),
    box: [signed(head + 36), signed(head + 38), signed(head + 40), signed(head + 42)],
    glyph: map,
    width: (glyph) => view.getUint16(hmtx + 4 * Math.min(glyph, widths - 1)) * scale,
  };
}

/** Which glyph a character has; 0, the empty box, where there is none. */
function unicodeMap(view: DataView, cmap: number): (codePoint: number) => number {
  for (let i = 0; i < view.getUint16(cmap + 2); i++) {
    const at = cmap + view.getUint32(cmap + 4 + 8 * i + 4);
    if (view.getUint16(at) === 4) return (code) => inSegments(view, at, code);
  }
  throw new Error('the bundled font has no map of characters that is known');
}

function inSegments(view: DataView, at: number, code: number): number {
  const twice = view.getUint16(at + 6);
  const [ends, starts] = [at + 14, at + 16 + twice];
  const [deltas, offsets] = [starts + twice, starts + 2 * twice];
  for (let i = 0; i < twice; i += 2) {
    if (view.getUint16(ends + i) < code) continue;
    const start = view.getUint16(starts + i);
    if (start > code) return 0;
    const delta = view.getUint16(deltas + i);
    const offset = view.getUint16(offsets + i);
    if (offset === 0) return (code + delta) & 0xffff;
    const glyph = view.getUint16(offsets + i + offset + 2 * (code - start));
    return glyph === 0 ? 0 : (glyph + delta) & 0xffff;
  }
  return 0;
}
