import { join } from 'node:path';
import { type ComparedRun, compare } from '../analyses/compare/index.ts';
import { type SizeFigures, type Sweep, type SweepRun, sweep } from '../analyses/sweep/index.ts';
import { UserError } from '../base/errors.ts';
import { count } from '../base/text.ts';
import { folderFiles } from '../model/disk/files.ts';
import { openRecording } from '../model/disk/reader.ts';
import { readSizesFile } from '../model/disk/sizes-file.ts';
import type { NamedRecording } from '../model/recording.ts';
import { seriesNames } from '../model/series.ts';
import { isRecordingFolder } from '../open/recordings.ts';
import { combinationName } from './grid.ts';
import type { Manifest, ManifestRun } from './manifest.ts';

/** A sweep's figures, with the recordings that they are of. */
export interface SweepWithRecordings {
  readonly result: Sweep;
  /** Called by their file names. */
  readonly recordings: readonly NamedRecording[];
}

/** Opens what a sweep has recorded so far and puts it side by side; nothing is run again. */
export function openSweep(folder: string, manifest: Manifest): SweepWithRecordings {
  const { plan, jobs, runs, plots } = manifest;
  const { recordings: opened, notes } = openAll(folder, runs);
  const { recordings, short } = withProcesses(opened);
  const series = jobs > 1 ? ownSeries(recordings) : undefined;
  // Against one only: all pairs of runs, repeats included, are nobody's question.
  const compared = compare(recordings, { series, baseline: firstMeasured(recordings, series) });
  const byName = new Map(compared.runs.map((run) => [run.name, run]));
  const head = {
    folder,
    name: plan.name,
    command: plan.command,
    params: plan.params,
    repeat: plan.repeat,
    jobs,
    series: compared.series,
    plots,
    notes: [
      ...mixNote(jobs, series),
      ...notes,
      ...incompleteNote(compared.runs.filter(({ stopped }) => stopped !== null).length),
      ...short.map((name) => `${name} was too short for a sample of its processes`),
      ...compared.notes.filter((text) => !PLANNED.test(text)),
    ],
  };
  const rows = byCombination(runs).map(([name, members]) => ({
    name,
    params: members[0]!.combination,
    runs: members.map((run) => sweepRun(folder, run, byName.get(run.recording))),
  }));
  return { result: sweep(head, rows), recordings };
}

/** A run that left no samples can hold nothing against itself; of a sweep of such there is no other. */
function firstMeasured(recordings: readonly NamedRecording[], series: string | undefined) {
  const measured = recordings.find(({ recording }) => {
    const names = seriesNames(recording);
    return series === undefined ? names.length > 0 : names.includes(series);
  });
  return measured?.name;
}

const incompleteNote = (runs: number): string[] =>
  runs === 0
    ? []
    : [
        `${count(runs, 'recording')} stopped before the run did: such a peak is a lower bound, counted only where no other run of its combination is whole, and never fitted`,
      ];

/** The table says how each run ended. */
const PLANNED = /: ending the workload$/;

function openAll(folder: string, runs: readonly ManifestRun[]) {
  const recordings: NamedRecording[] = [];
  const notes: string[] = [];
  for (const { recording: name, state } of runs) {
    const path = join(folder, name);
    if (state === 'waiting' || state === 'interrupted') continue;
    if (!isRecordingFolder(path)) {
      if (state === 'done') notes.push(`${name} is not there any more`);
      continue;
    }
    try {
      recordings.push({ name, recording: openRecording(folderFiles(path)) });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      notes.push(`${name} cannot be read: ${error.message}`);
    }
  }
  return { recordings, notes };
}

/** A run that was over at once has the machine's figures only; it must not drag the others down to them. */
function withProcesses(opened: readonly NamedRecording[]) {
  const seen = opened.filter(({ recording }) => recording.tables.includes('process'));
  const recordings = seen.length > 0 ? seen : opened;
  const short = opened.filter((one) => !recordings.includes(one)).map(({ name }) => name);
  return { recordings, short };
}

/** Of runs side by side, only what belongs to each one's own processes can be told apart. */
function ownSeries(recordings: readonly NamedRecording[]): string | undefined {
  const all = recordings.map(({ recording }) => seriesNames(recording));
  return ['tree.pss', 'tree.rss'].find((name) =>
    all.every((names) => names.length === 0 || names.includes(name)),
  );
}

function mixNote(jobs: number, series: string | undefined): string[] {
  if (jobs === 1) return [];
  const used = series ? `, so the figures are of ${series}` : '';
  return [
    `up to ${jobs} runs went side by side: figures of the whole machine or of a GPU belong to none of them alone${used}`,
  ];
}

function byCombination(runs: readonly ManifestRun[]): [string, ManifestRun[]][] {
  const found = new Map<string, ManifestRun[]>();
  for (const run of runs) {
    const name = combinationName(run.combination);
    found.set(name, [...(found.get(name) ?? []), run]);
  }
  return [...found];
}

function sweepRun(folder: string, run: ManifestRun, measured: ComparedRun | undefined): SweepRun {
  const { recording, repeat, state, exitCode, signal, reason } = run;
  const head = { recording, repeat, state, exitCode, signal, reason };
  if (!measured) return { ...head, figures: null };
  const { series, baselineBytes, peakBytes, peakAboveBaselineBytes, durationSeconds } = measured;
  const figures = { series, baselineBytes, peakBytes, peakAboveBaselineBytes, durationSeconds };
  const sizes = sizesOf(join(folder, recording));
  const incomplete = measured.stopped !== null && { incomplete: true as const };
  return { ...head, figures: { ...figures, ...(sizes && { sizes }) }, ...incomplete };
}

/** Of the largest process of a run; null where none told its sizes. */
function sizesOf(folder: string): SizeFigures | null {
  const [largest] = readSizesFile(folder);
  if (!largest) return null;
  const { topsize, code, simsize, wtsize } = largest.sizes;
  return { topsize, code: code.mapped + (code.loaded ?? 0), simsize, wtsize };
}
