import { type Dirent, readdirSync } from 'node:fs';
import { FILES } from '../sources/cgroup/location.ts';
import { readText } from '../sources/proc.ts';
import type { GroupLocation, Machine } from '../sources/source.ts';
import { type JobName, type JobRule, jobName } from './job-names.ts';

/** A control group that is a job's, all that is below it included. */
export interface JobGroup extends JobName, GroupLocation {
  /** Below the root of control groups. */
  readonly path: string;
}

/** A machine with more groups than this has something wrong with it; the rest is not looked at. */
const MOST_FOLDERS = 20_000;
const DEEPEST = 10;

/** Where control groups with memory accounting begin; null where there are none. */
export function groupRoot({ cgroup }: Machine): GroupLocation | null {
  if (readText(`${cgroup}/cgroup.controllers`)?.includes('memory'))
    return { version: 2, folder: cgroup };
  const folder = `${cgroup}/memory`;
  return readText(`${folder}/${FILES[1].current}`) === null ? null : { version: 1, folder };
}

export interface FoundGroups {
  readonly groups: readonly JobGroup[];
  /** There are more folders than were looked at. */
  readonly isCut: boolean;
}

/** All groups that are a job's. What is inside of one is the job's own, and not looked at. */
export function jobGroups(
  { version, folder: root }: GroupLocation,
  rules: readonly JobRule[],
): FoundGroups {
  const groups: JobGroup[] = [];
  let level = [''];
  let seen = 0;
  for (let depth = 0; depth < DEEPEST && level.length > 0; depth++) {
    const below: string[] = [];
    for (const path of level) {
      if (++seen > MOST_FOLDERS) return { groups, isCut: true };
      for (const name of foldersIn(`${root}${path}`)) {
        const child = `${path}/${name}`;
        const named = jobName(child, rules);
        if (named) groups.push({ ...named, version, folder: `${root}${child}`, path: child });
        else below.push(child);
      }
    }
    level = below;
  }
  return { groups, isCut: false };
}

function foldersIn(folder: string): string[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // it went meanwhile, or is not ours to look into
  }
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
