/** Whose a control group is, by its path alone. */
export interface JobName {
  /** slurm, kubernetes, docker, systemd, or what `--match` calls it. */
  readonly manager: string;
  readonly job: string;
  /** The user's number, where the path has it. */
  readonly user: number | null;
}

/** A path below the root of control groups, from `/` on; groups named `job` and perhaps `user`. */
export interface JobRule {
  readonly manager: string;
  readonly pattern: RegExp;
}

/**
 * Slurm: `/slurm/uid_1000/job_17` (version 1), `/system.slice/slurmstepd.scope/job_17` (2). Kubernetes: the pod, by its uid, whichever way
 * the kubelet writes it. A scope of systemd is one that somebody asked for: not that of a login, nor of the machine's first process.
 */
const RULES: readonly JobRule[] = [
  {
    manager: 'slurm',
    pattern: /\/[^/]*slurm[^/]*\/(?:uid_(?<user>\d+)\/)?job_(?<job>\d+)$/,
  },
  {
    manager: 'kubernetes',
    pattern:
      /\/kubepods[^/]*\/(?:.*[/-])?pod(?<job>[\da-f]{8}(?:[-_]?[\da-f]{4}){3}[-_]?[\da-f]{12})(?:\.slice)?$/,
  },
  {
    manager: 'docker',
    pattern: /\/(?:docker|libpod)[-/](?<job>[\da-f]{12})[\da-f]{52}(?:\.scope)?$/,
  },
  {
    manager: 'systemd',
    pattern: /\/(?!init\.|session-|[^/]*slurmstepd\.)(?<job>[^/]+)\.scope$/,
  },
];

/** Of the first rule that knows it; null: it is nobody's job. */
export function jobName(path: string, more: readonly JobRule[] = []): JobName | null {
  for (const { manager, pattern } of [...more, ...RULES]) {
    const found = pattern.exec(path)?.groups;
    if (!found?.job) continue;
    const user = /^\d{1,10}$/.test(found.user ?? '') ? Number(found.user) : null;
    return { manager, job: found.job.replaceAll('_', '-').slice(0, 100), user };
  }
  return null;
}
