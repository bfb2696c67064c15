import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FONTS = ['Inter-Regular.ttf', 'Inter-SemiBold.ttf'];

/** An SVG as PNG, `scale` pixels for each of its units, with the bundled font and no other. */
export async function renderPng(svg: string, scale: number): Promise<Uint8Array> {
  // Native and heavy: loaded only when somebody wants a PNG.
  const { Resvg } = await import('@resvg/resvg-js');
  const folder = fontFolder();
  const image = new Resvg(svg, {
    fitTo: { mode: 'zoom', value: scale },
    font: {
      fontFiles: FONTS.map((name) => join(folder, name)),
      loadSystemFonts: false,
      defaultFontFamily: 'Inter',
    },
  });
  return image.render().asPng();
}

/** Beside dist/ in a package, above src/ in a checkout: the first assets/fonts on the way up. */
function fontFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const fonts = join(folder, 'assets', 'fonts');
    if (existsSync(join(fonts, FONTS[0]!))) return fonts;
    const parent = dirname(folder);
    if (parent === folder) throw new Error('the bundled fonts (assets/fonts) are missing');
    folder = parent;
  }
}
