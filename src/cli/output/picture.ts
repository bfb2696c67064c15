import { writeFileSync } from 'node:fs';
import { UserError } from '../../base/errors.ts';
import { orUserError } from '../../model/disk/files.ts';
import type { Scene } from '../../views/chart/scene.ts';
import { sceneSvg } from '../../views/chart/svg.ts';
import { fontBytes } from './fonts.ts';
import { renderPng } from './png.ts';

/** A PNG is drawn in memory, four bytes a pixel. */
const MOST_PIXELS = 150e6;

/** What a file name asks for. */
export function pictureKind(path: string): 'svg' | 'png' | 'pdf' {
  const kind = /\.(svg|png|pdf)$/i.exec(path)?.[1]?.toLowerCase();
  if (kind !== 'svg' && kind !== 'png' && kind !== 'pdf') {
    throw new UserError(`cannot tell from '${path}' what picture to write`, {
      hint: 'end it in .svg, .png or .pdf',
    });
  }
  return kind;
}

/** A name for the current folder; a recording's name may hold slashes or be no name at all. */
export function defaultPicture(name: string): string {
  const safe = name.replace(/[^\w.+-]+/g, '-').replace(/^[.-]+/, '');
  return `${safe.slice(0, 100) || 'memory'}.svg`;
}

async function renderPdf(scene: Scene): Promise<Uint8Array> {
  const [{ scenePdf }, { readTrueType }] = await Promise.all([
    import('../../views/chart/pdf/document.ts'),
    import('../../views/chart/pdf/true-type.ts'),
  ]);
  const font = (weight: 'regular' | 'semibold') => readTrueType(fontBytes(weight));
  return scenePdf(scene, { regular: font('regular'), semibold: font('semibold') });
}

/** Writes a picture; one that is there already is replaced, as it can be drawn anew at any time. */
export async function writePicture(path: string, scene: Scene, scale: number): Promise<void> {
  const kind = pictureKind(path);
  if (kind === 'png' && scene.width * scene.height * scale ** 2 > MOST_PIXELS) {
    throw new UserError('that PNG would have too many pixels', {
      hint: 'take a smaller --scale, or write an .svg, which has none',
    });
  }
  const bytes =
    kind === 'pdf'
      ? await renderPdf(scene)
      : kind === 'png'
        ? await renderPng(sceneSvg(scene), scale)
        : sceneSvg(scene);
  orUserError(path, () => writeFileSync(path, bytes), 'write');
}
