import { existsSync, readdirSync, statSync } from 'node:fs';
import { readText } from '../sources/proc.ts';
import type { Machine } from '../sources/source.ts';
import type { JobGroup } from './groups.ts';

/** What a job's first process says of it. */
export interface JobOwner {
  /** The user's number. */
  readonly user: number | null;
  /** Whether it is left out: `HIGHWATER=off` in the job's environment, or `.highwater-off` in its user's home. */
  readonly isOut: boolean;
  readonly environment: Readonly<Record<string, string>>;
}

const NOBODY: JobOwner = { user: null, isOut: false, environment: {} };

/** Null: there is no process in it yet. */
export function jobOwner(machine: Machine, group: JobGroup): JobOwner | null {
  const pid = firstProcess(group.folder);
  if (pid === null) return null;
  let user = group.user;
  try {
    user ??= statSync(`${machine.proc}/${pid}`).uid;
  } catch {
    return user === null ? NOBODY : { ...NOBODY, user };
  }
  const environment = environmentOf(machine, pid);
  const home = homeOf(user);
  const isOut =
    environment.HIGHWATER === 'off' || (home !== null && existsSync(`${home}/.highwater-off`));
  return { user, isOut, environment };
}

/** Of the group or of those below it: jobs keep their processes in steps, pods in containers. */
function firstProcess(folder: string, depth = 0): string | null {
  const pid = /^\d+/.exec(readText(`${folder}/cgroup.procs`) ?? '')?.[0];
  if (pid || depth > 4) return pid ?? null;
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const below = entry.isDirectory() ? firstProcess(`${folder}/${entry.name}`, depth + 1) : null;
      if (below) return below;
    }
  } catch {}
  return null;
}

function environmentOf(machine: Machine, pid: string): Record<string, string> {
  const text = readText(`${machine.proc}/${pid}/environ`) ?? '';
  const pairs = text.split('\0').map((word) => /^((?:HIGHWATER|SLURM)\w*)=(.*)$/s.exec(word));
  return Object.fromEntries(pairs.flatMap((pair) => (pair ? [[pair[1]!, pair[2]!]] : [])));
}

function homeOf(user: number): string | null {
  const line = new RegExp(`^[^:]*:[^:]*:${user}:[^:]*:[^:]*:([^:]*):`, 'm');
  return line.exec(readText('/etc/passwd') ?? '')?.[1] || null;
}
