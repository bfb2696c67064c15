import type { Table } from './table.ts';

/**
 * Memory that the kernel cannot take back, row by row of `process`: anonymous pages, in memory or swapped out, and
 * shared memory that is mapped (files in /dev/shm, CUDA's pinned memory). Pages of mapped files are not in it.
 * NaN where a row does not tell. `shared` is what the rows before these told of shared memory.
 */
export function heldByProcess(
  process: Table,
  shared: Map<number, number> = new Map(),
): Float64Array {
  const [pids, anon] = [process.u32('pid'), process.f64('anon')];
  const [shmem, swap] = [process.f64('shmem'), process.f64('swap')];
  // How shared pages divide is read less often than how many there are.
  return anon.map((bytes, row) => {
    if (!Number.isNaN(shmem[row]!)) shared.set(pids[row]!, shmem[row]!);
    return bytes + (shared.get(pids[row]!) ?? 0) + (swap[row]! || 0);
  });
}

/** The same of a control group, where its details were read. */
export function heldByGroup(cgroup: Table): Float64Array {
  const [anon, shmem, swap] = ['anon', 'shmem', 'swap'].map((name) => cgroup.f64(name));
  return anon!.map((bytes, row) => bytes + shmem![row]! + (swap![row]! || 0));
}
