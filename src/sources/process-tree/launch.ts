import { rankFrom } from './rank.ts';

/** What a launcher told one of the processes that it started. */
export interface Launch {
  readonly launcher: string;
  readonly rank: number;
  /** Among those on its machine; null where the launcher does not tell. */
  readonly localRank: number | null;
  /** Processes of the job. */
  readonly size: number;
  /** The same in all of them, and in no other job; null where the launcher gives none. */
  readonly job: string | null;
  /** How often an elastic job began anew; null where it cannot. */
  readonly restart: number | null;
}

type Env = Readonly<Record<string, string | undefined>>;

interface Launcher {
  readonly name: string;
  readonly size: string;
  readonly local: string;
  /** A variable that must be there too. */
  readonly needs?: string;
  job(env: Env): string | null;
}

/** In the order of ranks (rank.ts), which it must agree with. */
const LAUNCHERS: readonly Launcher[] = [
  { name: 'torchrun', size: 'WORLD_SIZE', local: 'LOCAL_RANK', job: torchJob },
  {
    name: 'Open MPI',
    size: 'OMPI_COMM_WORLD_SIZE',
    local: 'OMPI_COMM_WORLD_LOCAL_RANK',
    job: (env) => env.PMIX_NAMESPACE ?? env.OMPI_MCA_ess_base_jobid ?? null,
  },
  {
    name: 'MPI',
    size: 'PMI_SIZE',
    local: 'MPI_LOCALRANKID',
    job: (env) => env.PMI_JOBID ?? slurmJob(env),
  },
  // A batch script has a rank and a size as well, but it is one, whatever the size.
  {
    name: 'Slurm',
    size: 'SLURM_NTASKS',
    local: 'SLURM_LOCALID',
    needs: 'SLURM_STEP_ID',
    job: slurmJob,
  },
];

/** Without an id of its own torchrun says `none`; where all of its ranks meet is as good. */
function torchJob(env: Env): string | null {
  const id = env.TORCHELASTIC_RUN_ID;
  if (id && id !== 'none') return id;
  return env.MASTER_ADDR && env.MASTER_PORT ? `${env.MASTER_ADDR}:${env.MASTER_PORT}` : null;
}

function slurmJob(env: Env): string | null {
  const { SLURM_JOB_ID: job, SLURM_STEP_ID: step } = env;
  return job ? `${job}.${step ?? 0}` : null;
}

/** Who started this process as one of several; null where nobody did. */
export function launchOf(env: Env): Launch | null {
  const rank = rankFrom((name) => env[name]);
  if (rank === null) return null;
  for (const { name, size, local, needs, job } of LAUNCHERS) {
    const count = Number(env[size]);
    if (env[size] === undefined || !Number.isInteger(count)) continue;
    if (count < 2 || (needs !== undefined && env[needs] === undefined)) return null;
    const restart = Number(env.TORCHELASTIC_RESTART_COUNT ?? Number.NaN);
    return {
      launcher: name,
      rank,
      localRank: /^\d+$/.test(env[local] ?? '') ? Number(env[local]) : null,
      size: count,
      job: job(env),
      restart: name === 'torchrun' && Number.isInteger(restart) ? restart : null,
    };
  }
  return null;
}
