import { type ChildProcess, spawn } from 'node:child_process';
import { describeError, errnoCode, UserError } from '../../base/errors.ts';
import { LAUNCH_SHELL_NAME } from '../../sources/process-tree/launch-shell.ts';
import type { OutputListener } from './relay.ts';
import { WorkloadStreams } from './streams.ts';

export interface WorkloadOptions {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** cgroup.procs of a group that the workload joins before it starts. */
  readonly cgroupProcs: string | null;
  /** false: descriptors are handed down untouched. */
  readonly watch: boolean;
  /** The listener gets the output, and nothing of it goes to our own streams. */
  readonly outputTaken: boolean;
  readonly onOutput: OutputListener;
}

export interface WorkloadExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * What stands between us and the workload for an instant: it joins the control group, opens the
 * terminal (as the leader of a new session, which makes it the controlling one), and becomes the
 * workload. The pid stays.
 */
const LAUNCH_SCRIPT = [
  'group=$1 terminal=$2 streams=$3; shift 3',
  '[ -z "$group" ] || { echo $$ > "$group"; } 2>/dev/null',
  'case $streams in *0*) exec <"$terminal";; esac',
  'case $streams in *1*) exec >"$terminal";; esac',
  'case $streams in *2*) exec 2>"$terminal";; esac',
  'exec "$@"',
].join('\n');

/** The command under observation. */
export class Workload {
  readonly pid: number;
  /** Whether it leads a session of its own, so that its session id names its descendants. */
  readonly ownSession: boolean;
  readonly exited: Promise<WorkloadExit>;
  readonly #child: ChildProcess;
  readonly #streams: WorkloadStreams;

  static async start(options: WorkloadOptions): Promise<Workload> {
    const workload = new Workload(options);
    await workload.#started();
    return workload;
  }

  private constructor({ argv, env, cgroupProcs, watch, outputTaken, onOutput }: WorkloadOptions) {
    this.#streams = new WorkloadStreams(watch, outputTaken);
    const { stdio, terminal } = this.#streams;
    const shell = ['-c', LAUNCH_SCRIPT, LAUNCH_SHELL_NAME, cgroupProcs ?? '', terminal?.path ?? ''];
    const [file, args] =
      terminal || cgroupProcs
        ? ['/bin/sh', [...shell, terminal?.streams ?? '', ...argv]]
        : [argv[0]!, argv.slice(1)];
    this.ownSession = terminal !== null;
    this.#child = spawn(file, args, { stdio, env, detached: this.ownSession });
    this.pid = this.#child.pid ?? 0;
    this.exited = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    this.#streams.connect(this.#child, onOutput);
  }

  /** Hands a signal on; false when there is nobody left to take it. */
  kill(signal: NodeJS.Signals): boolean {
    // A key such as Ctrl-C goes to all processes that a terminal has in front, not to one.
    const typed = this.ownSession && (signal === 'SIGINT' || signal === 'SIGQUIT');
    try {
      return process.kill(typed ? -this.pid : this.pid, signal);
    } catch {
      this.#streams.abandon(); // then this is about the recorder itself
      return false;
    }
  }

  /** Waits for the last output and gives the user's terminal back as it was. */
  async finish(): Promise<void> {
    await this.#streams.finish();
  }

  /** Gives the terminal back at once, whatever happens. */
  restoreTerminal(): void {
    this.#streams.restore();
  }

  async #started(): Promise<void> {
    if (this.pid !== 0) return;
    const error = await new Promise((resolve) => this.#child.once('error', resolve));
    const message = `cannot start the command: ${describeError(error)}`;
    // Our threads may have taken the last of the processes that are allowed here: without them it may go.
    if (errnoCode(error) === 'EAGAIN') throw new Error(message);
    const exitCode = errnoCode(error) === 'ENOENT' ? 127 : 126;
    throw new UserError(message, { exitCode });
  }
}
