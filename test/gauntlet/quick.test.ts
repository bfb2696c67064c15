import { describe, expect, it } from 'vitest';
import { place } from '../support/recorder.ts';
import { programs } from './programs.ts';
import { type Outcome, runProgram } from './run.ts';
import { formatOutcomes, totalsOf } from './table.ts';

/** One after the other, on whatever machine this is: nothing may be wrong, and no clean program accused. */
describe('the gauntlet, its quick part', () => {
  const quick = programs().filter(({ truth }) => truth.quick);
  const outcomes: Outcome[] = [];

  it.each(quick.map((program) => [program.name, program] as const))(
    '%s',
    async (_, program) => {
      const outcome = await runProgram(program, place('gauntlet'), false);
      outcomes.push(outcome);
      const { absent, failed, score } = outcome;
      if (absent !== null && mayBeAbsent(program.truth.needs)) return;
      expect({ absent, failed }).toEqual({ absent: null, failed: null });
      expect(score?.mark, `${outcome.report?.leak.verdict}: ${score?.because}`).not.toBe('wrong');
    },
    120_000,
  );

  it('accuses no clean program, and finds most leaks with their slopes', () => {
    const totals = totalsOf(outcomes);
    const table = formatOutcomes(outcomes);
    expect(totals.falseAlarms, table).toBe(0);
    expect(totals.found / totals.leaks, table).toBeGreaterThanOrEqual(0.8);
    expect(totals.slopesRight, table).toBe(totals.slopes);
  });
});

/** Where torch cannot be installed, and whoever set the machine up says so. */
const mayBeAbsent = (needs: readonly string[]) =>
  needs.length > 0 && process.env.HIGHWATER_WITHOUT_TORCH === '1';
