import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const FONTS = { regular: 'Inter-Regular.ttf', semibold: 'Inter-SemiBold.ttf' } as const;

/** Beside dist/ in a package, above src/ in a checkout: the first assets/fonts on the way up. */
export function fontFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const fonts = join(folder, 'assets', 'fonts');
    if (existsSync(join(fonts, FONTS.regular))) return fonts;
    const parent = dirname(folder);
    if (parent === folder) throw new Error('the bundled fonts (assets/fonts) are missing');
    folder = parent;
  }
}

export const fontBytes = (weight: keyof typeof FONTS): Uint8Array =>
  new Uint8Array(readFileSync(join(fontFolder(), FONTS[weight])));
