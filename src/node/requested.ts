import { MiB } from '../base/bytes.ts';

/** What Slurm was asked for on this machine, by a job's environment, in bytes; null: not told, or all of the machine. */
export function requestedBytes(env: Readonly<Record<string, string>>): number | null {
  const whole = (name: string) => (/^\d{1,12}$/.test(env[name] ?? '') ? Number(env[name]) : 0);
  const mebibytes =
    whole('SLURM_MEM_PER_NODE') || whole('SLURM_MEM_PER_CPU') * whole('SLURM_CPUS_ON_NODE');
  return mebibytes > 0 ? mebibytes * MiB : null;
}
