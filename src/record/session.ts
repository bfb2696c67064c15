import { randomBytes } from 'node:crypto';
import { constants } from 'node:os';
import { formatBytes } from '../base/bytes.ts';
import { describeError, UserError } from '../base/errors.ts';
import { redactArgv } from '../base/secrets.ts';
import { formatDuration } from '../base/time.ts';
import { newRun } from '../model/run.ts';
import { AgentSocket } from '../sources/agent/socket.ts';
import { judgeOom, kernelLogSince } from '../sources/oom.ts';
import { readStat } from '../sources/proc.ts';
import { PssReader } from '../sources/pss.ts';
import { THIS_MACHINE } from '../sources/source.ts';
import { outsideWarning, resolveCommand, runName } from './command.ts';
import { WorkloadGroup } from './group.ts';
import { Interruption } from './interruption.ts';
import { LiveLine } from './live-line.ts';
import { LogWatch } from './log-watch.ts';
import { MarkDesk } from './mark-desk.ts';
import { Members } from './members.ts';
import type { Mark } from './messages.ts';
import { makeOutputFolder } from './output-folder.ts';
import { RunKeeper } from './run-keeper.ts';
import { inForeground } from './streams.ts';
import { surroundings } from './surroundings.ts';
import { RecorderThreads, type SamplerNews } from './threads.ts';
import { Workload } from './workload.ts';

export interface RecordOptions {
  /** Empty: record `pid`, or the bare host. */
  readonly argv: readonly string[];
  readonly pid: number | null;
  readonly out: string | null;
  readonly name: string | null;
  readonly rateHz: number;
  readonly beforeSeconds: number;
  readonly afterSeconds: number;
  readonly durationSeconds: number | null;
  readonly memoryLimit: number | null;
  readonly swapLimit: number | null;
  readonly maxDisk: number;
  readonly resetPeaks: boolean;
  readonly watch: boolean;
  readonly quiet: boolean;
  readonly force: boolean;
  /** Patterns of the user's own that make marks of lines. */
  readonly markPatterns: readonly RegExp[];
  /** A log that the workload writes by itself. */
  readonly logFile: string | null;
  /** End the workload after so many iterations. */
  readonly stopAfter: number | null;
  /** One line for the user, on stderr. */
  readonly say: (line: string) => void;
}

export interface RecordResult {
  readonly folder: string;
  readonly exitCode: number;
  /** Why the recording ends before the workload does, if it does. */
  readonly writeFailure: string | null;
}

const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;

const NOT_STARTED = { code: null, signal: null, oomKilled: null, oomEvidence: '' };

/** Records one run from the first sample to the last. */
export async function record(options: RecordOptions): Promise<RecordResult> {
  return new Session(options).run();
}

class Session {
  readonly #options: RecordOptions;
  readonly #keeper: RunKeeper;
  readonly #origin = process.hrtime();
  readonly #members = new Members(THIS_MACHINE);
  readonly #interruption = new Interruption();
  readonly #group: WorkloadGroup;
  readonly #threads: RecorderThreads;
  readonly #marks: MarkDesk;
  readonly #pss: PssReader;
  readonly #liveLine: LiveLine | null;
  #workload: Workload | null = null;
  #endedBy: string | null = null;
  #signal: NodeJS.Signals | null = null;

  constructor(options: RecordOptions) {
    this.#options = options;
    const { argv, pid } = options;
    if (argv.length > 0) resolveCommand(argv[0]!);
    if (pid !== null && !readStat(THIS_MACHINE.proc, pid)) {
      throw new UserError(`there is no process with pid ${pid}`, { exitCode: 125 });
    }
    const id = randomBytes(8).toString('hex');
    const name = options.name ?? (pid === null ? runName(argv) : `pid${pid}`);
    const folder = makeOutputFolder(options.out, name, options.force);
    this.#group =
      argv.length > 0
        ? WorkloadGroup.forCommand(THIS_MACHINE, `${process.pid}-${id}`)
        : WorkloadGroup.ofProcess(THIS_MACHINE, pid);
    const run = newRun({
      ...surroundings(),
      id,
      name,
      argv: redactArgv(argv),
      subject: argv.length > 0 ? 'command' : pid === null ? 'host' : 'pid',
      cgroup: this.#group.info,
    });
    run.sampling.askedHz = options.rateHz;
    this.#keeper = new RunKeeper(folder, run, (line) => this.#say(line));
    const outside = outsideWarning(argv);
    if (outside) this.#keeper.warn(outside);
    try {
      this.#keeper.create();
    } catch (error) {
      this.#group.remove(); // nobody else would, for now
      throw error;
    }

    const { rateHz, resetPeaks, memoryLimit, swapLimit } = options;
    const settings = {
      origin: this.#origin,
      rateHz,
      marker: `HIGHWATER_RUN=${id}`,
      resetPeaks,
      cgroup: this.#group.settings,
      memoryLimit,
      swapLimit,
    };
    this.#threads = new RecorderThreads(folder, options.maxDisk, settings, {
      onSampler: (message) => this.#onSampler(message),
      onWriteFailure: (text) => this.#keeper.fail(text),
    });
    this.#marks = new MarkDesk(this.#origin, {
      onMark: (mark) => this.#threads.send({ type: 'mark', mark }),
      onIteration: (done, mark) => this.#onIteration(done, mark),
    });
    this.#pss = new PssReader(THIS_MACHINE, (reading) =>
      this.#threads.send({ type: 'pss', ...reading }),
    );
    this.#liveLine =
      process.stderr.isTTY && !options.quiet
        ? new LiveLine(process.stderr, this.#threads.live)
        : null;
  }

  async run(): Promise<RecordResult> {
    const onSignal = (signal: NodeJS.Signals) => this.#onSignal(signal);
    for (const signal of PASSED_ON) process.on(signal, onSignal);
    try {
      const exitCode = await this.#threads.ready.then(() => this.#observe());
      await this.#finish();
      return { folder: this.#keeper.folder, exitCode, writeFailure: this.#keeper.failure };
    } catch (error) {
      // A command that could not be started leaves no threads, no group and no open end behind.
      this.#keeper.run.warnings.push(describeError(error));
      await this.#finish();
      throw error;
    } finally {
      this.#workload?.restoreTerminal();
      for (const signal of PASSED_ON) process.off(signal, onSignal);
    }
  }

  /** What happens between the first and the last sample; the exit code. */
  async #observe(): Promise<number> {
    const { argv, pid, durationSeconds } = this.#options;
    if (argv.length > 0) return this.#observeCommand();
    this.#marks.add('start', this.#keeper.run.name, pid);
    if (pid !== null) {
      this.#keeper.run.rootPid = pid;
      this.#keeper.save();
      this.#threads.send({ type: 'root', pid, ownSession: false });
    }
    await this.#interruption.sleep(durationSeconds ?? Number.POSITIVE_INFINITY);
    this.#marks.add('end', this.#keeper.run.name, pid);
    return 0;
  }

  async #observeCommand(): Promise<number> {
    const { argv, beforeSeconds, afterSeconds, watch } = this.#options;
    const { run } = this.#keeper;
    const { markPatterns, logFile } = this.#options;
    const agents = await this.#openAgentSocket();
    const log = new LogWatch(markPatterns, logFile, watch, (mark) => this.#marks.addLine(mark));
    await this.#interruption.sleep(beforeSeconds);
    if (this.#signal) {
      await Promise.all([agents?.close(), log.stop()]);
      const endedBy = `${this.#signal} came before the command was started`;
      run.exit = { ...NOT_STARTED, endedBy };
      return exitCodeOf(null, this.#signal);
    }

    const counts = this.#group.oomCounts();
    this.#marks.add('start', run.name, null);
    this.#workload = await Workload.start({
      argv,
      env: {
        ...process.env,
        HIGHWATER_RUN: run.id,
        ...(agents && { HIGHWATER_SOCKET: agents.path }),
      },
      cgroupProcs: this.#group.procs,
      watch,
      onOutput: (chunk, target) => {
        this.#liveLine?.makeWay(chunk);
        log.take(String(target), chunk);
      },
    });
    const { pid, ownSession, exited } = this.#workload;
    // The sampling thread will tell of it too, but an early end must not wait for that.
    const stat = readStat(THIS_MACHINE.proc, pid);
    if (stat) this.#members.add(pid, stat.startTime);
    this.#threads.send({ type: 'root', pid, ownSession });
    run.rootPid = pid;
    this.#keeper.save();
    const timer = this.#startDuration();
    const { code, signal } = await exited;
    clearTimeout(timer);
    this.#marks.add('end', run.name, pid);
    const oom = judgeOom(counts, this.#group.oomCounts(), this.#members.everSeen, () =>
      kernelLogSince(this.#origin[0] * 1e6),
    );
    run.exit = {
      code,
      signal,
      oomKilled: oom.oomKilled,
      oomEvidence: oom.evidence,
      endedBy: this.#endedBy,
    };
    this.#keeper.save();
    await this.#workload.finish();
    await Promise.all([agents?.close(), log.stop()]);
    this.#workload = null;
    await this.#interruption.sleep(afterSeconds);
    return exitCodeOf(code, signal);
  }

  async #finish(): Promise<void> {
    this.#pss.stop();
    this.#liveLine?.stop();
    const { stopped, foldedSeconds } = await this.#threads.stop();
    this.#group.remove();
    const { run } = this.#keeper;
    run.foldedSeconds = foldedSeconds;
    const { user, system } = process.cpuUsage();
    if (stopped) {
      run.sampling = { ...stopped.sampling, recorderCpuSeconds: (user + system) / 1e6 };
      if (stopped.lostRows > 0) {
        run.warnings.push(`${stopped.lostRows} rows were lost: the disk was too slow for them`);
      }
    }
    if (this.#pss.denied > 0) {
      run.warnings.push(
        `${this.#pss.denied} processes belong to somebody else: their proportional size is unknown`,
      );
    }
    run.endedAt = new Date().toISOString();
    this.#keeper.save();
  }

  /** Programs that carry an agent tell what cannot be seen from outside; most carry none. */
  async #openAgentSocket(): Promise<AgentSocket | null> {
    const warned = new Set<string>();
    try {
      return await AgentSocket.open({
        onMark: (mark, pid, rank) => this.#marks.addAgent(mark, pid, rank),
        onWarning: (text) => {
          if (!warned.has(text) && warned.size < 20) this.#keeper.warn(text);
          warned.add(text);
        },
      });
    } catch (error) {
      this.#keeper.warn(`no socket for agents: ${describeError(error)}`);
      return null;
    }
  }

  #onIteration(done: number, { iteration }: Mark): void {
    this.#liveLine?.setIteration(iteration ?? done);
    const { stopAfter } = this.#options;
    if (stopAfter !== null && done >= stopAfter) {
      void this.#endTree(`--stop-after ${stopAfter}: ${done} iterations are done`);
    }
  }

  #onSampler(message: SamplerNews): void {
    switch (message.type) {
      case 'birth':
        this.#members.add(message.pid, message.startTime);
        this.#pss.add(message.pid);
        return;
      case 'death':
        this.#members.remove(message.pid);
        this.#pss.remove(message.pid);
        if (message.pid === this.#options.pid) this.#interruption.interrupt();
        return;
      case 'limit':
        void this.#endTree(this.#limitText(message.what, message.bytes));
        return;
      case 'warning':
        this.#keeper.warn(message.text);
        return;
    }
  }

  #limitText(what: 'memory' | 'swap', bytes: number): string {
    const { memoryLimit, swapLimit } = this.#options;
    const limit = (what === 'memory' ? memoryLimit : swapLimit) ?? 0;
    const verb = what === 'memory' ? 'held' : 'swapped out';
    return `--${what}-limit ${formatBytes(limit)} exceeded: ${formatBytes(bytes)} ${verb}`;
  }

  #startDuration(): NodeJS.Timeout | undefined {
    const { durationSeconds } = this.#options;
    if (durationSeconds === null) return undefined;
    const why = `--duration ${formatDuration(durationSeconds)} is over`;
    return setTimeout(() => void this.#endTree(why), durationSeconds * 1000);
  }

  /** Ends every living member of the tree, and lets the recording say why. */
  async #endTree(why: string): Promise<void> {
    if (this.#endedBy !== null) return;
    this.#endedBy = why;
    this.#keeper.warn(`${why}: ending the workload`);
    this.#marks.add('note', why, null);
    await this.#members.end();
  }

  #onSignal(signal: NodeJS.Signals): void {
    this.#signal ??= signal;
    if (!this.#workload) {
      this.#interruption.interrupt();
      return;
    }
    // Ctrl-C reaches a workload that shares our terminal by itself; a second one would cut its
    // cleaning up short.
    const typed = signal === 'SIGINT' || signal === 'SIGQUIT';
    if (typed && !this.#workload.ownSession && inForeground()) return;
    if (!this.#workload.kill(signal)) this.#interruption.interrupt();
  }

  #say(line: string): void {
    this.#liveLine?.makeWay(Buffer.from('\n'));
    this.#options.say(line);
  }
}

/** As a shell shows it: 128 + the signal's number. */
function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return signal ? 128 + (constants.signals[signal] ?? 0) : (code ?? 1);
}
