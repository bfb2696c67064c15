import { join } from 'node:path';
import { FONTS, fontFolder } from './fonts.ts';

/** An SVG as PNG, `scale` pixels for each of its units, with the bundled font and no other. */
export async function renderPng(svg: string, scale: number): Promise<Uint8Array> {
  // Native and heavy: loaded only when somebody wants a PNG.
  const { Resvg } = await import('@resvg/resvg-js');
  const folder = fontFolder();
  const image = new Resvg(svg, {
    fitTo: { mode: 'zoom', value: scale },
    font: {
      fontFiles: Object.values(FONTS).map((name) => join(folder, name)),
      loadSystemFonts: false,
      defaultFontFamily: 'Inter',
    },
  });
  return image.render().asPng();
}
