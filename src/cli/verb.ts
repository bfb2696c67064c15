import { Command, CommanderError, Help, type Option } from 'commander';
import { UserError } from '../base/errors.ts';

export interface Verb {
  readonly name: string;
  readonly summary: string;
  /** One of those that `--help` shows at once. */
  readonly first?: true;
  /** Loaded only when it is used. */
  readonly load: () => Promise<VerbModule>;
}

/** What commands/<verb>.ts exports. */
export interface VerbModule {
  /** Its flags and arguments; nothing is run. */
  command(): Command;
  /**
   * Everything after the verb in, the exit code out. `verbs`: all there are, for the one that tells
   * of the others.
   */
  run(argv: readonly string[], verbs?: readonly Verb[]): Promise<number>;
}

/** A commander command with the conventions that all verbs share. */
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

/**
 * Parses and acts; `act` is given the arguments and the flags, and may answer with an exit code.
 * `badUsage` is the one for wrong flags (125 in `record`, 2 elsewhere).
 */
export async function runCommand<Given extends unknown[]>(
  command: Command,
  argv: readonly string[],
  act: (...given: Given) => Promise<number> | Promise<void>,
  badUsage = 2,
): Promise<number> {
  let exitCode = 0;
  command.action(async (...given) => {
    exitCode = (await act(...(given as Given))) || 0;
  });
  try {
    await command.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    // commander adds "(Did you mean …?)" on a line of its own; in our one line it is part of the hint.
    const [message, suggestion] = error.message.replace(/^error: /, '').split(/\s*\n\(Did you /);
    const hint = `${suggestion ? `did you ${suggestion.replace(/\)$/, '')} ` : ''}${command.name()} --help`;
    // It quotes what was given, and that may be a URL with a password.
    const { withoutSecrets } = await import('../base/secrets/index.ts');
    throw new UserError(withoutSecrets(message!.replace(/\s*\n\s*/g, ' ')), {
      hint,
      exitCode: badUsage,
      cause: error,
    });
  }
  return exitCode;
}
