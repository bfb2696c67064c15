import { Command, CommanderError, Help, InvalidArgumentError, type Option } from 'commander';
import { UserError } from '../base/errors.ts';

/** What commands/<verb>.ts exports: everything after the verb in, the exit code out. */
export interface CommandModule {
  /** `verbs`: all there are, for the one that tells of the others. */
  run(argv: readonly string[], verbs?: readonly Verb[]): Promise<number>;
}

export interface Verb {
  readonly name: string;
  readonly summary: string;
  /** Loaded only when it is used. */
  readonly load: () => Promise<CommandModule>;
}

/** A commander command with the habits that all verbs share. */
export function newCommand(name: string, summary: string, example: string): Command {
  const indented = example.replace(/^/gm, '  ');
  return new Command(`highwater ${name}`)
    .description(summary[0]!.toUpperCase() + summary.slice(1))
    .addHelpText('after', `\nExample:\n${indented}`)
    .helpOption('-h, --help', 'show this help')
    .showSuggestionAfterError()
    .configureHelp({ optionDescription })
    .configureOutput({ writeErr: () => {} })
    .exitOverride();
}

/** As commander has it, but an empty list is not worth calling a default. */
function optionDescription(this: Help, option: Option): string {
  const empty = Array.isArray(option.defaultValue) && option.defaultValue.length === 0;
  const shown = empty ? Object.create(option, { defaultValue: { value: undefined } }) : option;
  return Help.prototype.optionDescription.call(this, shown);
}

/** Parses and runs; `badUsage` is the exit code for wrong flags (125 in `record`, 2 elsewhere). */
export async function runCommand(
  command: Command,
  argv: readonly string[],
  badUsage = 2,
): Promise<number> {
  if (describing) {
    describing(command);
    return 0;
  }
  try {
    await command.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    // commander adds "(Did you mean …?)" on a line of its own; in our one line it is part of the hint.
    const [message, suggestion] = error.message.replace(/^error: /, '').split(/\s*\n\(Did you /);
    const hint = `${suggestion ? `did you ${suggestion.replace(/\)$/, '')} ` : ''}${command.name()} --help`;
    throw new UserError(message!.replace(/\s*\n\s*/g, ' '), {
      hint,
      exitCode: badUsage,
      cause: error,
    });
  }
  return 0;
}

let describing: ((command: Command) => void) | null = null;

/** A verb's flags and arguments as it declares them; nothing is run. */
export async function describe(module: CommandModule): Promise<Command> {
  let found: Command | undefined;
  describing = (command) => {
    found = command;
  };
  try {
    await module.run([]);
  } finally {
    describing = null;
  }
  if (!found) throw new Error('a verb that declares no command');
  return found;
}

/** Turns a parser that throws UserError into one whose message commander puts its option before. */
export function argument<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      if (error instanceof UserError) {
        throw new InvalidArgumentError(
          error.hint ? `${error.message}: ${error.hint}` : error.message,
        );
      }
      throw error;
    }
  };
}

/** A number within bounds, for an option. */
export function numberBetween(low: number, high: number, what: string): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (!(value >= low && value <= high)) {
      const range =
        high === Number.POSITIVE_INFINITY ? `at least ${low}` : `from ${low} to ${high}`;
      throw new InvalidArgumentError(`expected ${what} ${range}.`);
    }
    return value;
  };
}

/** The number of a process. */
export const pidNumber = numberBetween(1, 2 ** 31, 'a pid');

/** For an option that can be given several times: each word read, in the order given. */
export function several<T>(parse: (text: string) => T): (text: string, before?: T[]) => T[] {
  return (text, before = []) => [...before, parse(text)];
}
