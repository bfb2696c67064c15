import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../base/errors.ts';
import { orUserError } from '../model/disk/files.ts';
import { createFolder } from '../model/disk/save.ts';
import { isRecordingFolder, RUNS_FOLDER } from '../open/recordings.ts';
import { automaticName } from '../record/run/output-folder.ts';
import { type Manifest, NOT_RUN, newManifest, withoutSecrets } from './manifest.ts';
import { isSweepFolder, readManifest } from './manifest-file.ts';
import { plannedRuns, type SweepPlan } from './plan.ts';

/** A folder, what is planned in it, and how far it has come. */
export interface SweepFolder {
  readonly folder: string;
  readonly plan: SweepPlan;
  readonly manifest: Manifest;
  /** Runs side by side this time. */
  readonly jobs: number;
  /** Whether there was something to go on from. */
  readonly continued: boolean;
}

/** The folder for a plan: a new one, or the one where the same plan was cut short. */
export function folderFor(plan: SweepPlan, out: string | null, jobs: number): SweepFolder {
  const folder = out ?? join(RUNS_FOLDER, automaticName(`${plan.name}-sweep`).replace(/\.hw$/, ''));
  if (isSweepFolder(folder)) {
    const manifest = readManifest(folder);
    refuseOtherPlan(folder, manifest.plan, withoutSecrets(plan));
    return { folder, plan, jobs, manifest: resumed(folder, manifest, jobs), continued: true };
  }
  if (existsSync(folder) && !isEmpty(folder)) {
    throw new UserError(`${folder} exists already, and is no sweep`, {
      hint: 'choose another place with -o',
    });
  }
  const runs = plannedRuns(plan);
  createFolder(folder, false);
  return { folder, plan, jobs, manifest: newManifest(plan, runs, jobs), continued: false };
}

/** The folder of a sweep that was cut short, with all that is needed to go on. */
export function folderToContinue(folder: string, jobs: number | null): SweepFolder {
  const manifest = readManifest(folder);
  const { plan } = manifest;
  if ([...plan.command, ...plan.env].some((word) => word.includes('***'))) {
    throw new UserError(`the command of ${folder} held secrets, which are not kept`, {
      hint: `give the whole command again, with -o ${folder}`,
    });
  }
  const now = jobs ?? manifest.jobs;
  return { folder, plan, jobs: now, manifest: resumed(folder, manifest, now), continued: true };
}

function isEmpty(folder: string): boolean {
  return orUserError(
    folder,
    () => statSync(folder).isDirectory() && readdirSync(folder).length === 0,
  );
}

/** Runs whose recording somebody has taken away have to be made again. */
function resumed(folder: string, manifest: Manifest, jobs: number): Manifest {
  const runs = manifest.runs.map((run) =>
    run.state === 'done' && !isRecordingFolder(join(folder, run.recording))
      ? { ...run, ...NOT_RUN }
      : run,
  );
  return { ...manifest, runs, jobs: Math.max(jobs, manifest.jobs) };
}

const NAMES: Readonly<Record<keyof SweepPlan, string>> = {
  name: '--name',
  command: 'the command',
  env: '--env',
  params: '--param',
  repeat: '--repeat',
  recordFlags: 'a flag for the recorder',
};

function refuseOtherPlan(folder: string, there: SweepPlan, asked: SweepPlan): void {
  const keys = Object.keys(NAMES) as (keyof SweepPlan)[];
  const other = keys.find((key) => JSON.stringify(there[key]) !== JSON.stringify(asked[key]));
  if (!other) return;
  throw new UserError(`${folder} holds another sweep: ${NAMES[other]} is not the same`, {
    hint: `choose another place with -o, or go on with that one: highwater sweep --continue ${folder}`,
  });
}
