import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Fit } from '../../analyses/fit/index.ts';
import { orUserError } from '../../model/disk/files.ts';
import { fitChart } from '../../views/chart/fit.ts';
import { writePicture } from '../picture.ts';
import { PLOTS } from '../sweep/manifest.ts';
import { readManifest, writeManifest } from '../sweep/manifest-file.ts';

const SCALE = 2;

/** Draws the answer into a sweep's folder, and notes it there, so that `--clean` knows whose it is. */
export async function drawFit(folder: string, fit: Fit): Promise<string[]> {
  if (fit.groups.every(({ curves }) => curves.length === 0)) return [];
  const scene = fitChart(fit);
  orUserError(folder, () => mkdirSync(join(folder, PLOTS), { recursive: true }), 'write');
  const pictures = ['svg', 'png'].map((kind) => `${PLOTS}/fit.${kind}`);
  for (const picture of pictures) await writePicture(join(folder, picture), scene, SCALE);
  const manifest = readManifest(folder);
  const plots = [...new Set([...manifest.plots, ...pictures])];
  if (plots.length > manifest.plots.length) writeManifest(folder, { ...manifest, plots });
  return pictures;
}
