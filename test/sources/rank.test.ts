import { describe, expect, it } from 'vitest';
import { rankOf } from '../../src/sources/process-tree/rank.ts';

const block = (...lines: string[]) => lines.map((line) => `${line}\0`).join('');

describe('the rank of a process', () => {
  it('is what the launcher nearest to it says', () => {
    const slurm = ['SLURM_PROCID=1', 'SLURM_NTASKS=2'];
    expect(rankOf(block(...slurm))).toBe(1);
    expect(rankOf(block(...slurm, 'RANK=6', 'WORLD_SIZE=8'))).toBe(6);
    expect(rankOf(block('OMPI_COMM_WORLD_RANK=3', 'OMPI_COMM_WORLD_SIZE=4'))).toBe(3);
    expect(rankOf(block('PMI_SIZE=4', 'PMI_RANK=0'))).toBe(0);
  });

  it('is no word that merely looks like one', () => {
    expect(rankOf('')).toBeNull();
    expect(rankOf(block('RANK=3'))).toBeNull();
    expect(rankOf(block('RANK=captain', 'WORLD_SIZE=8'))).toBeNull();
    expect(rankOf(block('MY_RANK=3', 'MY_WORLD_SIZE=8'))).toBeNull();
  });
});
