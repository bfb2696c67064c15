import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { orUserError } from '../../../model/disk/files.ts';
import { PLOTS } from '../../../sweep/manifest.ts';
import type { Scene } from '../../../views/chart/scene.ts';
import { writePicture } from '../../output/picture.ts';

const SCALE = 2;

/** Writes a picture into a sweep's `Plots/` as SVG and PNG; their names, relative to the folder. */
export async function savePictures(folder: string, name: string, scene: Scene): Promise<string[]> {
  orUserError(folder, () => mkdirSync(join(folder, PLOTS), { recursive: true }), 'write');
  const pictures = ['svg', 'png'].map((kind) => `${PLOTS}/${name}.${kind}`);
  for (const picture of pictures) await writePicture(join(folder, picture), scene, SCALE);
  return pictures;
}
