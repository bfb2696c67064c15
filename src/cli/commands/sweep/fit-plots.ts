import type { Fit } from '../../../analyses/fit/index.ts';
import { readManifest, writeManifest } from '../../../sweep/manifest-file.ts';
import { fitChart } from '../../../views/chart/fit.ts';
import { savePictures } from './pictures.ts';

/** Draws the answer into a sweep's folder, and notes it there, so that `--clean` knows whose it is. */
export async function drawFit(folder: string, fit: Fit): Promise<string[]> {
  if (fit.groups.every(({ curves }) => curves.length === 0)) return [];
  const pictures = await savePictures(folder, 'fit', fitChart(fit));
  const manifest = readManifest(folder);
  const plots = [...new Set([...manifest.plots, ...pictures])];
  if (plots.length > manifest.plots.length) writeManifest(folder, { ...manifest, plots });
  return pictures;
}
