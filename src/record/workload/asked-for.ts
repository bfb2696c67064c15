import { MiB } from '../../base/bytes.ts';
import type { AskedFor } from '../../model/run.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * What Slurm was asked for, of this machine. It tells memory in MiB: of the machine, of each processor or of each card,
 * whichever the user had chosen. null: this is no job of Slurm's.
 */
export function askedFor(env: Env): AskedFor | null {
  const job = env.SLURM_JOB_ID;
  if (!job || !/^\d{1,20}$/.test(job)) return null;
  const gpus = whole(env.SLURM_GPUS_ON_NODE) ?? listed(env.SLURM_JOB_GPUS ?? env.SLURM_STEP_GPUS);
  const ways: readonly (readonly [name: string, times: number | null])[] = [
    ['SLURM_MEM_PER_NODE', 1],
    ['SLURM_MEM_PER_GPU', gpus],
    ['SLURM_MEM_PER_CPU', whole(env.SLURM_CPUS_ON_NODE)],
  ];
  for (const [name, times] of ways) {
    const mebibytes = whole(env[name]);
    // 0 asks for all of the machine.
    if (mebibytes && times)
      return { by: 'slurm', job, memoryBytes: mebibytes * times * MiB, memoryFrom: name, gpus };
  }
  return { by: 'slurm', job, memoryBytes: null, memoryFrom: '', gpus };
}

const whole = (text: string | undefined) => (/^\d{1,12}$/.test(text ?? '') ? Number(text) : null);

/** `0,1,4-7` */
function listed(text: string | undefined): number | null {
  if (text === undefined || !/^[\d,-]+$/.test(text)) return null;
  return text.split(',').reduce((sum, part) => {
    const [from, to = from] = part.split('-').map(Number);
    return sum + Math.max(0, to! - from! + 1);
  }, 0);
}
