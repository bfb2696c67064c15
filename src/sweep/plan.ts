import { UserError } from '../base/errors.ts';
import { redactArgv } from '../base/secrets/index.ts';
import { fileStems } from './file-names.ts';
import { type Combination, combinations } from './grid.ts';
import type { Param } from './params.ts';
import { checkPlaceholders, fill } from './template.ts';

/** What a sweep was asked to do. Words are templates: they may hold `{name}`. */
export interface SweepPlan {
  readonly name: string;
  readonly command: readonly string[];
  /** `NAME=value`, set for the command only. */
  readonly env: readonly string[];
  readonly params: readonly Param[];
  readonly repeat: number;
  /** Flags that each run's `record` gets. */
  readonly recordFlags: readonly string[];
}

/** One run of a plan. */
export interface PlannedRun {
  readonly combination: Combination;
  /** 1 for the first time. */
  readonly repeat: number;
  /** File names inside the sweep's folder. */
  readonly recording: string;
  readonly log: string;
}

/** Refuses what cannot be meant, before anything is made or run. */
export function checkPlan(plan: SweepPlan): void {
  if (plan.params.length === 0) {
    throw new UserError('a sweep needs a parameter', {
      hint: 'as --param batch=4,8,16; to run one thing several times: highwater record --repeat 5',
    });
  }
  if (plan.command.length === 0) {
    throw new UserError('a sweep needs a command', {
      hint: 'highwater sweep --param batch=4,8 -- python train.py --batch {batch}',
    });
  }
  const wrong = plan.env.find((word) => !/^[A-Za-z_]\w*=/.test(word));
  if (wrong !== undefined) {
    throw new UserError(`'${wrong}' sets no variable`, { hint: 'write it as --env NAME=value' });
  }
  const secret = plan.params.find(({ name, values }) =>
    values.some((value) => redactArgv([`${name}=${value}`])[0] !== `${name}=${value}`),
  );
  if (secret) {
    throw new UserError(`the values of --param ${secret.name} look like secrets`, {
      hint: 'they would be in the names of files: set it by --env, or in the environment',
    });
  }
  checkPlaceholders(
    [...plan.command, ...plan.env, ...plan.recordFlags],
    plan.params.map((param) => param.name),
  );
}

/** Every run, all combinations once before any is repeated: a sweep cut short has seen them all. */
export function plannedRuns(plan: SweepPlan): PlannedRun[] {
  const all = combinations(plan.params, plan.repeat);
  const stems = fileStems(all);
  return Array.from({ length: plan.repeat }, (_, round) =>
    all.map((combination, i) => {
      const stem = round === 0 ? stems[i]! : `${stems[i]}#${round + 1}`;
      return { combination, repeat: round + 1, recording: `${stem}.hw`, log: `${stem}.log` };
    }),
  ).flat();
}

/** The command of one combination. */
export function commandOf(plan: SweepPlan, combination: Combination): string[] {
  return plan.command.map((word) => fill(word, combination));
}

/** The variables of one combination. */
export function envOf(plan: SweepPlan, combination: Combination): Record<string, string> {
  return Object.fromEntries(
    plan.env.map((word) => {
      const at = word.indexOf('=');
      return [word.slice(0, at), fill(word.slice(at + 1), combination)];
    }),
  );
}
