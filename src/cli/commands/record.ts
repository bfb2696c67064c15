import { isatty } from 'node:tty';
import type { Command } from 'commander';
import { CannotRecord, UserError } from '../../base/errors.ts';
import { record } from '../../record/run/session.ts';
import { OWN_FAILURE } from '../../sweep/recorder.ts';
import type { RecordRequest } from '../flags/record.ts';
import {
  addRecordFlags,
  agentFlags,
  type GivenFlags,
  recordRequest,
} from '../flags/record-words.ts';
import { tell } from '../output/terminal.ts';
import { newCommand, runCommand } from '../verb.ts';
import { conclude } from './record/conclusion.ts';
import { LiveView } from './record/live-view.ts';

const EXAMPLE = `highwater record -- python train.py --epochs 3
highwater record --name baseline --memory-limit 32GiB -- torchrun --nproc-per-node 4 train.py
highwater record --layers -- python train.py      # what each layer holds
highwater record --gpu-limit 24GiB -- python train.py
highwater record --live -- python train.py        # look on in a browser
highwater record --pid 4242 --duration 60
highwater record --duration 30            # the bare host`;

/** Runs a command and records its memory, a process's, or the bare host's. */
export function command(): Command {
  const declared = newCommand(
    'record',
    "Run a command and record its memory. The command's output and exit code pass through.",
    EXAMPLE,
  )
    .usage('[options] [--] [command...]')
    .argument('[command...]', 'what to run; none: the process of --pid, or the bare host')
    .passThroughOptions();
  return addRecordFlags(declared, 'record');
}

export function run(argv: readonly string[]): Promise<number> {
  return runCommand(command(), argv, recordAsked, OWN_FAILURE);
}

async function recordAsked(words: string[], given: GivenFlags): Promise<number> {
  const request = recordRequest(given);
  refuseContradictions(words, request);
  const { repeat, live: isLive, livePort, ...recorder } = request;
  const say = (line: string) => tell(`${line}\n`);
  const options = { ...recorder, argv: words, say };
  const { pid, durationSeconds, quiet } = request;
  if (words.length === 0 && !pid && !durationSeconds && !quiet) {
    say('highwater: no command is given, so the whole machine is watched until Ctrl-C');
  }
  const terminals = [0, 1, 2].filter(isatty);
  let started = false;
  const onStart = () => {
    started = true;
  };
  try {
    if (repeat > 1) {
      const { recordRepeatedly } = await import('./record/repeats.ts');
      return await recordRepeatedly({ ...options, onStart }, repeat, quiet);
    }
    const live = isLive ? new LiveView(livePort, say) : null;
    const onFolder = (folder: string) => live?.start(folder);
    const result = await record({ ...options, onStart, onFolder }).finally(() => live?.finish());
    await conclude(result, quiet, process.stderr);
    if (!terminals.every(isatty)) endWithoutTerminal();
    return result.exitCode;
  } catch (error) {
    if (started || words.length === 0 || request.strict || isOfCommand(error)) throw error;
    throw new CannotRecord(words, error);
  }
}

/** It could not be started, whoever tries. */
const isOfCommand = (error: unknown) =>
  error instanceof UserError && [126, 127].includes(error.exitCode);

/** Flags that do not go together, or not with what is to be recorded. */
function refuseContradictions(words: readonly string[], request: RecordRequest): void {
  const { pid, agent, heaps, live, repeat } = request;
  const refuse = (message: string, hint?: string) => {
    throw new UserError(message, { hint, exitCode: OWN_FAILURE });
  };
  const hasCommand = words.length > 0;
  if (hasCommand && pid !== null) refuse('give a command or --pid, not both');
  for (const flag of agentFlags(request)) {
    if (!hasCommand) refuse(`${flag} needs a command`);
    if (agent === 'off') refuse(`${flag} needs the agent: leave --agent off out`);
  }
  if (!hasCommand && heaps !== null) {
    refuse('--heap needs a command', 'highwater heap --pid takes a heap of a running program');
  }
  if (live && repeat > 1) {
    refuse('--live shows one run, --repeat makes several', 'leave one of them out');
  }
  if (!hasCommand && repeat > 1) refuse('--repeat needs a command');
}

/** The window was closed; Node would want to reset the terminal at its exit, and abort. */
function endWithoutTerminal(): void {
  process.kill(process.pid, 'SIGHUP');
}
