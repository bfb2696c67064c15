import { CannotRecord, describeError, errnoCode, UserError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { VERSION } from '../base/version.ts';
import { otherWord } from './other-words.ts';
import { show, tell } from './output/terminal.ts';
import type { Verb } from './verb.ts';
import { VERBS } from './verbs.ts';

const INTRODUCTION = [
  'Highwater: why a program ran out of memory, and where it all went.',
  '',
  'Usage: highwater <command> [options]',
  '',
];

/** What most need; the rest by name. */
function usage(): string {
  const more = VERBS.filter(({ first }) => !first).map(({ name }) => name);
  return [
    ...INTRODUCTION,
    ...listed(VERBS.filter(({ first }) => first)),
    '',
    `More: ${more.join(', ')}`,
    '  highwater --help --all         says what each does',
    '  highwater <command> --help     explains a command and shows an example',
    '',
    'Start here:',
    '  highwater record -- python train.py',
    '  highwater report',
    '',
  ].join('\n');
}

function wholeUsage(): string {
  const explained = 'highwater <command> --help explains a command and shows an example.';
  return [...INTRODUCTION, ...listed(VERBS), '', explained, ''].join('\n');
}

function listed(verbs: readonly Verb[]): string[] {
  const width = Math.max(...VERBS.map(({ name }) => name.length));
  return verbs.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
}

async function main(argv: readonly string[]): Promise<number> {
  const [verb, ...rest] = argv;
  if (verb === '--version' || verb === '-V' || verb === '-v' || verb === 'version') {
    show(`${VERSION}\n`);
    return 0;
  }
  if (verb === undefined) {
    tell(usage());
    return 2;
  }
  if (verb === '--help' || verb === '-h' || verb === 'help') {
    const all = rest.some((word) => ['--all', '-a', 'all', 'more'].includes(word));
    if (rest[0] && !all) return (await called(rest[0]).load()).run(['--help'], VERBS);
    show(all ? wholeUsage() : usage());
    return 0;
  }
  const { run } = await called(verb)
    .load()
    .catch((error) => {
      const command = verb === 'record' ? commandOf(rest) : [];
      throw command.length > 0 ? new CannotRecord(command, error) : error;
    });
  return run(rest, VERBS);
}

/** What stands behind `--`, unless it is to run only if it is recorded. */
function commandOf(words: readonly string[]): readonly string[] {
  const dashes = words.indexOf('--');
  const strict = words.slice(0, Math.max(0, dashes)).includes('--strict');
  return dashes < 0 || strict ? [] : words.slice(dashes + 1);
}

function called(name: string): Verb {
  const command = VERBS.find((c) => c.name === name);
  if (command) return command;
  const here = otherWord(name);
  if (here) {
    const hint = `here: ${here}; highwater --help lists the commands`;
    throw new UserError(`there is no command '${name}'`, { hint });
  }
  const near = nearest(
    name,
    VERBS.map((c) => c.name),
  );
  const guess = near ? `did you mean ${near}?` : `to record it: highwater record -- ${name} …;`;
  const hint = `${guess} highwater --help --all lists them`;
  throw new UserError(`there is no command '${name}'`, { hint });
}

/**
 * `highwater report | head` closes our output early: that is no failure, but a full disk is.
 * `record` and `sweep` go on without their output, as they have recordings to finish.
 */
function endWhenOutputFails(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
      if (['record', 'sweep'].includes(process.argv[2]!)) return;
      if (errnoCode(error) === 'EPIPE') process.exit(0);
      if (stream === process.stdout) {
        tell(`highwater: cannot write the output: ${describeError(error)}\n`);
      }
      process.exit(1);
    });
  }
}

/** Does what the command line says; the exit code is the process's. A command that could not be recorded is the answer, for the caller to run. */
export async function start(): Promise<readonly string[] | null> {
  endWhenOutputFails();
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof UserError) && process.env.HIGHWATER_DEBUG) throw error;
    const hint = error instanceof UserError && error.hint ? ` (${error.hint})` : '';
    tell(`highwater: ${describeError(error)}${hint}\n`);
    process.exitCode =
      error instanceof UserError ? error.exitCode : process.argv[2] === 'record' ? 125 : 1;
    if (error instanceof CannotRecord) return error.command;
  }
  return null;
}
