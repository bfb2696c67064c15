import { writeFileSync } from 'node:fs';
import { UserError } from '../../base/errors.ts';
import { orUserError } from '../../model/disk/files.ts';
import type { Scene } from '../../views/chart/scene.ts';
import { sceneSvg } from '../../views/chart/svg.ts';
import { renderPng } from './png.ts';

/** A PNG is drawn in memory, four bytes a pixel. */
const MOST_PIXELS = 150e6;

/** What a file name asks for. */
export function pictureKind(path: string): 'svg' | 'png' {
  const kind = /\.(svg|png)$/i.exec(path)?.[1]?.toLowerCase();
  if (kind !== 'svg' && kind !== 'png') {
    throw new UserError(`cannot tell from '${path}' what picture to write`, {
      hint: 'end it in .svg or .png',
    });
  }
  return kind;
}

/** A name for the current folder; a recording's name may hold slashes or be no name at all. */
export function defaultPicture(name: string): string {
  const safe = name.replace(/[^\w.+-]+/g, '-').replace(/^[.-]+/, '');
  return `${safe.slice(0, 100) || 'memory'}.svg`;
}

/** Writes a picture; one that is there already is replaced, as it can be drawn anew at any time. */
export async function writePicture(path: string, scene: Scene, scale: number): Promise<void> {
  const png = pictureKind(path) === 'png';
  if (png && scene.width * scene.height * scale ** 2 > MOST_PIXELS) {
    throw new UserError('that PNG would have too many pixels', {
      hint: 'take a smaller --scale, or write an .svg, which has none',
    });
  }
  const svg = sceneSvg(scene);
  const bytes = png ? await renderPng(svg, scale) : svg;
  orUserError(path, () => writeFileSync(path, bytes), 'write');
}
