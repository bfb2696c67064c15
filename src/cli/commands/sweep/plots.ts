import { overlay } from '../../../analyses/overlay.ts';
import type { SweepRow } from '../../../analyses/sweep/index.ts';
import { shortNames } from '../../../base/short-names.ts';
import { printable, shellJoin } from '../../../base/text.ts';
import type { OpenedSweep } from '../../../sweep/result.ts';
import { overlayChart } from '../../../views/chart/overlay/overlay.ts';
import { savePictures } from './pictures.ts';

/** Lays the combinations over each other in `Plots/`; the names of the pictures, none without runs. */
export async function drawPlots({ result, recordings }: OpenedSweep): Promise<string[]> {
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
