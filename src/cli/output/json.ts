import { type Command, Option } from 'commander';
import { MOST_INPUT_BYTES, type Verdict } from '../../model/verdict.ts';
import { resultJson } from '../../views/json.ts';
import type { BriefOutput } from './json-outputs.ts';

/** What every answer for programs has. */
interface Answer {
  readonly type: string;
  readonly schemaVersion: number;
  readonly verdict: Verdict;
}

export interface JsonFlags {
  readonly json?: true;
  readonly brief?: true;
}

/** The flags of every verb that answers programs. */
export const addJsonFlags = (command: Command): Command =>
  command
    .option('--json', 'for programs')
    .addOption(
      new Option('--brief', 'with --json: the verdict only, 8 KB at most').implies({ json: true }),
    );

/** An answer for a program, whole or only its verdict. `inputs`: what was asked about, as the user named it. */
export function answerJson(
  { type, schemaVersion, verdict: given, ...rest }: Answer,
  { brief }: JsonFlags,
  inputs: readonly string[] = [],
): string {
  const { next } = given;
  const verdict = { ...given, next: next && { ...next, argv: withInput(next.argv, inputs) } };
  const output: BriefOutput = { type, schemaVersion, brief: true, verdict };
  // First, so that a reader with little room has it.
  const whole: Answer = { type, schemaVersion, verdict, ...rest };
  return resultJson(brief ? output : whole);
}

/** A plain and short name can stand in the command; any other is the caller's to put in. */
function withInput(argv: readonly string[], inputs: readonly string[]): string[] {
  const plain =
    inputs.length > 0 &&
    inputs.join(' ').length <= MOST_INPUT_BYTES &&
    inputs.every((name) => /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(name));
  return argv.flatMap((word) => (word === '{input}' && plain ? inputs : [word]));
}
