import { closeSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RankRecording } from '../analyses/report.ts';
import { packedFiles } from '../model/disk/pack.ts';
import { openRegular } from '../model/disk/regular-files.ts';
import type { Recording } from '../model/recording.ts';
import type { SnapshotInfo } from '../model/run.ts';
import { openForeign } from './foreign-file.ts';
import { type FoundSnapshot, foundInPack, openFound, openFoundOfRanks } from './found-snapshots.ts';
import { partPaths } from './jobs.ts';
import type { InputLocation } from './locate.ts';
import { isPacked } from './recordings.ts';

/** What the workload's allocator left beside a recording. */
export const openSnapshots = (
  location: InputLocation,
  recording: Recording,
): Promise<Recording[]> => openFound(find(location, recording), recording);

/** One for each rank, where at least two ranks left some. */
export const openRankTraces = (
  location: InputLocation,
  recording: Recording,
): Promise<RankRecording[]> => openFoundOfRanks(find(location, recording), recording);

function find({ path, kind }: InputLocation, { run }: Recording): FoundSnapshot[] {
  const infos = run.snapshots ?? [];
  if (infos.length === 0) return [];
  // Their names have the process's number in them, and only those of one host are told apart by that.
  const places = kind === 'job' ? partPaths(path) : [path];
  return infos.flatMap((info) => {
    const found = places.map((one) => findIn(one, info)).find((one) => one !== null);
    return found ? [found] : [];
  });
}

function findIn(place: string, info: SnapshotInfo): FoundSnapshot | null {
  if (isPacked(place)) return foundInPack(packedFiles(place), [info])[0] ?? null;
  const folder = place.endsWith('.ndjson') ? dirname(place) : place;
  const path = join(folder, info.file);
  if (!existsSync(path)) return null;
  const open = async () => {
    closeSync(openRegular(path));
    return openForeign(path);
  };
  return { info, path, open };
}
