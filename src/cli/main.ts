#!/usr/bin/env node
import { describeError, errnoCode, UserError } from '../base/errors.ts';
import { VERSION } from '../base/version.ts';
import { VERBS } from './verbs.ts';

function usage(): string {
  const width = Math.max(...VERBS.map((c) => c.name.length));
  return [
    'Highwater: where did the memory go?',
    '',
    'Usage: highwater <command> [options]',
    '',
    ...VERBS.map((c) => `  ${c.name.padEnd(width)}  ${c.summary}`),
    '',
    'highwater <command> --help explains a command and shows an example.',
    '',
    'Start here:',
    '  highwater record -- python train.py',
    '  highwater report',
    '',
  ].join('\n');
}

async function main(argv: readonly string[]): Promise<number> {
  const [verb, ...rest] = argv;
  if (verb === '--version' || verb === '-V') {
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  if (verb === undefined || verb === '--help' || verb === '-h' || verb === 'help') {
    const named = VERBS.find((c) => c.name === rest[0]);
    if (verb === 'help' && named) return (await named.load()).run(['--help'], VERBS);
    process[verb === undefined ? 'stderr' : 'stdout'].write(usage());
    return verb === undefined ? 2 : 0;
  }
  const command = VERBS.find((c) => c.name === verb);
  if (!command) {
    throw new UserError(`there is no command '${verb}'`, { hint: 'highwater --help lists them' });
  }
  return (await command.load()).run(rest, VERBS);
}

/**
 * `highwater report | head` closes our output early: that is no failure, but a full disk is.
 * `record` and `sweep` go on without their output, as they have recordings to finish.
 */
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error) => {
    if (['record', 'sweep'].includes(process.argv[2]!)) return;
    if (errnoCode(error) === 'EPIPE') process.exit(0);
    if (stream === process.stdout) {
      process.stderr.write(`highwater: cannot write the output: ${describeError(error)}\n`);
    }
    process.exit(1);
  });
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UserError) && process.env.HIGHWATER_DEBUG) throw error;
  const hint = error instanceof UserError && error.hint ? ` (${error.hint})` : '';
  process.stderr.write(`highwater: ${describeError(error)}${hint}\n`);
  process.exitCode =
    error instanceof UserError ? error.exitCode : process.argv[2] === 'record' ? 125 : 1;
}
