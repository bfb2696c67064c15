import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Fit } from '../../../analyses/fit/index.ts';
import { overlay } from '../../../analyses/overlay.ts';
import type { SweepRow } from '../../../analyses/sweep/index.ts';
import { shortNames } from '../../../base/short-names.ts';
import { printable, shellJoin } from '../../../base/text.ts';
import { orUserError } from '../../../model/disk/files.ts';
import { PLOTS } from '../../../sweep/manifest.ts';
import { readManifest, writeManifest } from '../../../sweep/manifest-file.ts';
import type { SweepWithRecordings } from '../../../sweep/result.ts';
import { fitChart } from '../../../views/chart/fit.ts';
import { overlayChart } from '../../../views/chart/overlay/overlay.ts';
import type { Scene } from '../../../views/chart/scene.ts';
import { writePicture } from '../../output/picture.ts';

const SCALE = 2;

/** Lays the combinations over each other in `Plots/`; the names of the pictures, none without runs. */
export async function drawPlots({ result, recordings }: SweepWithRecordings): Promise<string[]> {
  const shown = result.combinations.flatMap((row) => {
    const file = middleRun(row);
    const found = recordings.find(({ name }) => name === file);
    if (!found) return [];
    return [{ name: printable(row.name), recording: found.recording, well: row.well }];
  });
  if (shown.length === 0) return [];
  const names = legible(shown.map(({ name }) => name));
  const runs = shown.map(({ recording, well }, i) => ({
    name: well ? names[i]! : `${names[i]}, failed`,
    recording,
  }));
  const data = overlay(runs, { series: result.series ?? undefined });
  const scene = overlayChart(data, { title: printable(shellJoin(result.command)) });
  return savePictures(result.folder, 'overlay', scene);
}

/** Of repeats, the one whose peak is the median: one curve stands for a combination. */
function middleRun(row: SweepRow): string | null {
  const measured = row.runs.filter((run) => run.figures !== null);
  const well = measured.filter((run) => run.state === 'done');
  const ranked = (well.length > 0 ? well : measured).sort(
    (a, b) => a.figures!.peakBytes - b.figures!.peakBytes,
  );
  return ranked[Math.floor((ranked.length - 1) / 2)]?.recording ?? null;
}

/** `fft` says enough, `256` does not: that stays `batch=256`. */
function legible(names: readonly string[]): readonly string[] {
  const short = shortNames(names);
  return short.some((name) => /^[-+.\d,e]+$/i.test(name)) ? names : short;
}

/** Draws the answer into a sweep's folder, and notes it there, so that `--clean` knows whose it is. */
export async function drawFit(folder: string, fit: Fit): Promise<string[]> {
  if (fit.groups.every(({ curves }) => curves.length === 0)) return [];
  const pictures = await savePictures(folder, 'fit', fitChart(fit));
  const manifest = readManifest(folder);
  const plots = [...new Set([...manifest.plots, ...pictures])];
  if (plots.length > manifest.plots.length) writeManifest(folder, { ...manifest, plots });
  return pictures;
}

/** Writes a picture into a sweep's `Plots/` as SVG and PNG; their names, relative to the folder. */
async function savePictures(folder: string, name: string, scene: Scene): Promise<string[]> {
  orUserError(folder, () => mkdirSync(join(folder, PLOTS), { recursive: true }), 'write');
  const pictures = ['svg', 'png'].map((kind) => `${PLOTS}/${name}.${kind}`);
  for (const picture of pictures) await writePicture(join(folder, picture), scene, SCALE);
  return pictures;
}
