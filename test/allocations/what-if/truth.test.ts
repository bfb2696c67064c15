import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Program } from '../../../src/analyses/allocations/replay/program.ts';
import { SHARED, whereShared } from '../../support/shared.ts';
import { predicted, programsOf, SNAPSHOTS, type Truth, truthIn } from './programs.ts';

const OWN = join(SNAPSHOTS, 'what-if');

interface Error {
  readonly truth: Truth;
  /** Of the reserved peak, as a share. */
  readonly peak: number;
  readonly dies: boolean;
}

async function errorsIn(folder: string): Promise<Error[]> {
  const programs = new Map<string, Program>();
  const errors: Error[] = [];
  for (const truth of truthIn(folder)) {
    const path = join(folder, `${truth.program}.pickle.gz`);
    const program = programs.get(path) ?? (await programsOf(path))[0]!;
    programs.set(path, program);
    const { reservedPeakBytes, diesAt } = predicted(program, truth);
    const peak = Math.abs(reservedPeakBytes / truth.reserved_peak - 1);
    errors.push({ truth, peak, dies: diesAt !== null });
  }
  return errors;
}

const share = (errors: readonly Error[], holds: (error: Error) => boolean) =>
  errors.filter(holds).length / errors.length;

describe('other settings and limits, against what torch really did', () => {
  it('four programs: peak, cudaMallocs, retries and whether it runs, all exactly', async () => {
    for (const truth of truthIn(OWN)) {
      const [program] = await programsOf(join(OWN, `${truth.program}.pickle.gz`));
      const replayed = predicted(program!, truth);
      expect({
        ...truth,
        reserved_peak: replayed.reservedPeakBytes,
        device_allocs: replayed.deviceAllocs,
        retries: replayed.retries,
        oom: replayed.diesAt !== null,
      }).toEqual(truth);
    }
  });

  whereShared('what-if')('seven programs: within the bounds that are promised', async () => {
    const errors = await errorsIn(join(SHARED, 'what-if'));
    const growing = errors.filter(({ truth }) => truth.setting.includes('expandable'));
    expect(share(growing, ({ peak }) => peak <= 0.005)).toBe(1);
    expect(share(errors, ({ peak }) => peak <= 0.01)).toBeGreaterThanOrEqual(0.92);
    expect(share(errors, ({ peak }) => peak <= 0.05)).toBeGreaterThanOrEqual(0.97);
    expect(share(errors, ({ truth, dies }) => truth.oom === dies)).toBeGreaterThanOrEqual(0.97);
  });
});
