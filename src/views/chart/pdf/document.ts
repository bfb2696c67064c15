import { zlibSync } from 'fflate';
import type { Scene, Weight } from '../scene.ts';
import { hex, num, POINTS, pageContent } from './content.ts';
import type { TrueType } from './true-type.ts';

/** A scene as a PDF of one page (ISO 32000-1): vectors, and text that can be searched, in the fonts that it brings along. */
export function scenePdf(scene: Scene, fonts: Readonly<Record<Weight, TrueType>>): Uint8Array {
  const { operators, opacities, used } = pageContent(scene, fonts);
  const file = new PdfFile();
  const [catalog, pages, page, content] = [file.next(), file.next(), file.next(), file.next()];
  const fontIds = [...used].map(
    ([weight, glyphs]) => [weight, writeFont(file, fonts[weight], weight, glyphs)] as const,
  );
  const states = [...opacities].map((percent) => {
    const share = num(percent / 100);
    return `/O${percent} << /ca ${share} /CA ${share} >>`;
  });
  const box = `[0 0 ${num(scene.width * POINTS)} ${num(scene.height * POINTS)}]`;
  const resources =
    `<< /Font << ${fontIds.map(([weight, id]) => `/${weight} ${id} 0 R`).join(' ')} >> ` +
    `/ExtGState << ${states.join(' ')} >> >>`;
  file.object(catalog, `<< /Type /Catalog /Pages ${pages} 0 R >>`);
  file.object(pages, `<< /Type /Pages /Kids [${page} 0 R] /Count 1 >>`);
  file.object(
    page,
    `<< /Type /Page /Parent ${pages} 0 R /MediaBox ${box} /Resources ${resources} /Contents ${content} 0 R >>`,
  );
  file.stream(content, '', new TextEncoder().encode(operators));
  const info = file.next();
  file.object(info, `<< /Title ${textString(scene.title)} /Producer (Highwater) >>`);
  return file.end(catalog, info);
}

/** A font by its glyphs' own numbers; which character each stands for is told beside, for who searches or copies. */
function writeFont(
  file: PdfFile,
  font: TrueType,
  weight: Weight,
  glyphs: ReadonlyMap<number, string>,
): number {
  const id = file.next();
  const [descendant, descriptor] = [file.next(), file.next()];
  const [program, unicode] = [file.next(), file.next()];
  const name = weight === 'semibold' ? '/Inter-SemiBold' : '/Inter-Regular';
  const widths = [...glyphs.keys()].map((glyph) => `${glyph} [${num(font.width(glyph))}]`);
  file.object(
    id,
    `<< /Type /Font /Subtype /Type0 /BaseFont ${name} /Encoding /Identity-H ` +
      `/DescendantFonts [${descendant} 0 R] /ToUnicode ${unicode} 0 R >>`,
  );
  file.object(
    descendant,
    `<< /Type /Font /Subtype /CIDFontType2 /BaseFont ${name} /CIDToGIDMap /Identity ` +
      '/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> ' +
      `/FontDescriptor ${descriptor} 0 R /W [${widths.join(' ')}] >>`,
  );
  file.object(
    descriptor,
    `<< /Type /FontDescriptor /FontName ${name} /Flags 4 /FontBBox [${font.box.join(' ')}] /ItalicAngle 0 ` +
      `/Ascent ${font.ascent} /Descent ${font.descent} /CapHeight ${font.ascent} /StemV 80 /FontFile2 ${program} 0 R >>`,
  );
  file.stream(program, `/Length1 ${font.bytes.length}`, font.bytes);
  file.stream(unicode, '', new TextEncoder().encode(unicodeMap(glyphs)));
  return id;
}

/** No more than a hundred at once, as the format has it. */
const MOST_PAIRS = 100;

function unicodeMap(glyphs: ReadonlyMap<number, string>): string {
  const pairs = [...glyphs].map(([glyph, text]) => `<${hex(glyph)}> <${utf16(text)}>`);
  const blocks: string[] = [];
  for (let at = 0; at < pairs.length; at += MOST_PAIRS) {
    const some = pairs.slice(at, at + MOST_PAIRS);
    blocks.push(`${some.length} beginbfchar\n${some.join('\n')}\nendbfchar`);
  }
  return [
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap',
    '/CMapName /Highwater def /CMapType 2 def',
    '1 begincodespacerange <0000> <ffff> endcodespacerange',
    ...blocks,
    'endcmap CMapName currentdict /CMap defineresource pop end end',
  ].join('\n');
}

const utf16 = (text: string) =>
  Array.from({ length: text.length }, (_, i) => hex(text.charCodeAt(i))).join('');
const textString = (text: string) => `<feff${utf16(text)}>`;

/** Objects and where each begins, which the end of the file tells. */
class PdfFile {
  readonly #parts: Uint8Array[] = [];
  readonly #offsets: number[] = [];
  #length = 0;
  #objects = 0;

  constructor() {
    this.#put('%PDF-1.5\n%\u00e2\u00e3\u00cf\u00d3\n');
  }

  next(): number {
    return ++this.#objects;
  }

  object(id: number, body: string): void {
    this.#offsets[id] = this.#length;
    this.#put(`${id} 0 obj\n${body}\nendobj\n`);
  }

  stream(id: number, entries: string, bytes: Uint8Array): void {
    const packed = zlibSync(bytes, { level: 9 });
    this.#offsets[id] = this.#length;
    this.#put(
      `${id} 0 obj\n<< /Length ${packed.length} /Filter /FlateDecode ${entries} >>\nstream\n`,
    );
    this.#add(packed);
    this.#put('\nendstream\nendobj\n');
  }

  end(catalog: number, info: number): Uint8Array {
    const start = this.#length;
    const rows = Array.from({ length: this.#objects }, (_, i) => {
      const offset = String(this.#offsets[i + 1] ?? 0).padStart(10, '0');
      return `${offset} 00000 n \n`;
    });
    this.#put(`xref\n0 ${this.#objects + 1}\n0000000000 65535 f \n${rows.join('')}`);
    this.#put(
      `trailer\n<< /Size ${this.#objects + 1} /Root ${catalog} 0 R /Info ${info} 0 R >>\n` +
        `startxref\n${start}\n%%EOF\n`,
    );
    const whole = new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }

  /** A byte for each character. */
  #put(text: string): void {
    this.#add(Uint8Array.from(text, (character) => character.charCodeAt(0)));
  }

  #add(bytes: Uint8Array): void {
    this.#parts.push(bytes);
    this.#length += bytes.length;
  }
}
