/**
 * The launchers' names for a process's rank, and the variable beside it that tells it from a word
 * that merely looks alike. In this order: torchrun under srun leaves SLURM_PROCID at the node's
 * number. Children inherit all of them, so several processes may carry one rank.
 */
const LAUNCHERS = [
  ['RANK', 'WORLD_SIZE'],
  ['OMPI_COMM_WORLD_RANK', 'OMPI_COMM_WORLD_SIZE'],
  ['PMI_RANK', 'PMI_SIZE'],
  ['SLURM_PROCID', 'SLURM_NTASKS'],
] as const;

/** The distributed rank that an environment (/proc/PID/environ) tells; null for none. */
export function rankOf(environment: string): number | null {
  const block = `\0${environment}`;
  return rankFrom((name) => variable(block, name));
}

/** The same of variables that are asked for one by one. */
export function rankFrom(
  variableNamed: (name: string) => string | null | undefined,
): number | null {
  for (const [rank, size] of LAUNCHERS) {
    const value = variableNamed(rank);
    if (value && /^\d+$/.test(value) && variableNamed(size) != null) return Number(value);
  }
  return null;
}

function variable(block: string, name: string): string | null {
  const at = block.indexOf(`\0${name}=`);
  if (at < 0) return null;
  const start = at + name.length + 2;
  const end = block.indexOf('\0', start);
  return block.slice(start, end < 0 ? undefined : end);
}
