import { randomBytes } from 'node:crypto';
import { constants } from 'node:os';
import { formatBytes } from '../base/bytes.ts';
import { describeError, UserError } from '../base/errors.ts';
import { redactArgv } from '../base/secrets.ts';
import { formatDuration, SECOND_NS } from '../base/time.ts';
import { writeRun } from '../model/disk/run-file.ts';
import { newRun, type RunInfo } from '../model/run.ts';
import { TIME_FROM } from '../model/schema.ts';
import { groupLimit, locateGroup, oomKills } from '../sources/cgroup/location.ts';
import { makeOwnGroup, type OwnGroup } from '../sources/cgroup/own-group.ts';
import { judgeOom, kernelLogSince, machineOomKills, type OomCounts } from '../sources/oom.ts';
import { readStat } from '../sources/proc.ts';
import { PssReader } from '../sources/pss.ts';
import { THIS_MACHINE } from '../sources/source.ts';
import { outsideWarning, resolveCommand, runName } from './command.ts';
import { Interruption } from './interruption.ts';
import { LiveLine } from './live-line.ts';
import { Members } from './members.ts';
import type { SamplerSettings } from './messages.ts';
import { makeOutputFolder } from './output-folder.ts';
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
  readonly #run: RunInfo;
  readonly #folder: string;
  readonly #origin = process.hrtime();
  readonly #members = new Members(THIS_MACHINE);
  readonly #interruption = new Interruption();
  readonly #group: OwnGroup | null;
  readonly #threads: RecorderThreads;
  readonly #pss: PssReader;
  readonly #liveLine: LiveLine | null;
  #workload: Workload | null = null;
  #endedBy: string | null = null;
  #writeFailure: string | null = null;
  #signal: NodeJS.Signals | null = null;

  constructor(options: RecordOptions) {
    this.#options = options;
    if (options.argv.length > 0) resolveCommand(options.argv[0]!);
    if (options.pid !== null && !readStat(THIS_MACHINE.proc, options.pid)) {
      throw new UserError(`there is no process with pid ${options.pid}`, { exitCode: 125 });
    }
    const name =
      options.name ?? (options.pid === null ? runName(options.argv) : `pid${options.pid}`);
    this.#folder = makeOutputFolder(options.out, name, options.force);
    this.#run = newRun({
      ...surroundings(),
      id: randomBytes(8).toString('hex'),
      name,
      argv: redactArgv(options.argv),
      subject: options.argv.length > 0 ? 'command' : options.pid === null ? 'host' : 'pid',
    });
    this.#run.sampling.askedHz = options.rateHz;
    const outside = outsideWarning(options.argv);
    if (outside) this.#warn(outside);
    this.#writeFirst();
    this.#group = this.#makeGroup();
    this.#threads = new RecorderThreads(this.#folder, options.maxDisk, this.#samplerSettings(), {
      onSampler: (message) => this.#onSampler(message),
      onWriteFailure: (text) => this.#onWriteFailure(text),
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
      return { folder: this.#folder, exitCode, writeFailure: this.#writeFailure };
    } catch (error) {
      // A command that could not be started leaves no threads, no group and no open end behind.
      this.#run.warnings.push(describeError(error));
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
    this.#mark('start', this.#run.name, pid);
    if (pid !== null) {
      this.#run.rootPid = pid;
      this.#saveRun();
      this.#threads.send({ type: 'root', pid, ownSession: false });
    }
    await this.#interruption.sleep(durationSeconds ?? Number.POSITIVE_INFINITY);
    this.#mark('end', this.#run.name, pid);
    return 0;
  }

  async #observeCommand(): Promise<number> {
    const { argv, beforeSeconds, afterSeconds, durationSeconds, watch } = this.#options;
    await this.#interruption.sleep(beforeSeconds);
    if (this.#signal) {
      const endedBy = `${this.#signal} came before the command was started`;
      this.#run.exit = { ...NOT_STARTED, endedBy };
      return exitCodeOf(null, this.#signal);
    }

    const counts = this.#oomCounts();
    this.#mark('start', this.#run.name, null);
    this.#workload = await Workload.start({
      argv,
      env: { ...process.env, HIGHWATER_RUN: this.#run.id },
      cgroupProcs: this.#group?.procs ?? null,
      watch,
      onOutput: (chunk) => this.#liveLine?.makeWay(chunk),
    });
    const { pid, ownSession, exited } = this.#workload;
    // The sampling thread will tell of it too, but an early end must not wait for that.
    const stat = readStat(THIS_MACHINE.proc, pid);
    if (stat) this.#members.add(pid, stat.startTime);
    this.#threads.send({ type: 'root', pid, ownSession });
    this.#run.rootPid = pid;
    this.#saveRun();
    const timer =
      durationSeconds === null
        ? undefined
        : setTimeout(
            () => void this.#endTree(`--duration ${formatDuration(durationSeconds)} is over`),
            durationSeconds * 1000,
          );

    const { code, signal } = await exited;
    clearTimeout(timer);
    this.#mark('end', this.#run.name, pid);
    const oom = judgeOom(counts, this.#oomCounts(), this.#members.everSeen, () =>
      kernelLogSince(this.#origin[0] * 1e6),
    );
    this.#run.exit = {
      code,
      signal,
      oomKilled: oom.oomKilled,
      oomEvidence: oom.evidence,
      endedBy: this.#endedBy,
    };
    this.#saveRun();
    await this.#workload.finish();
    this.#workload = null;
    await this.#interruption.sleep(afterSeconds);
    return exitCodeOf(code, signal);
  }

  async #finish(): Promise<void> {
    this.#pss.stop();
    this.#liveLine?.stop();
    const { stopped, foldedSeconds } = await this.#threads.stop();
    this.#run.foldedSeconds = foldedSeconds;
    this.#group?.remove();
    const { user, system } = process.cpuUsage();
    if (stopped) {
      this.#run.sampling = { ...stopped.sampling, recorderCpuSeconds: (user + system) / 1e6 };
      if (stopped.lostRows > 0) {
        this.#run.warnings.push(
          `${stopped.lostRows} rows were lost: the disk was too slow for them`,
        );
      }
    }
    if (this.#pss.denied > 0) {
      this.#run.warnings.push(
        `${this.#pss.denied} processes belong to somebody else: their proportional size is unknown`,
      );
    }
    if (this.#writeFailure) this.#run.warnings.push(`the recording stopped: ${this.#writeFailure}`);
    this.#run.endedAt = new Date().toISOString();
    this.#saveRun();
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
        this.#warn(message.text);
        return;
    }
  }

  #limitText(what: 'memory' | 'swap', bytes: number): string {
    const { memoryLimit, swapLimit } = this.#options;
    const limit = (what === 'memory' ? memoryLimit : swapLimit) ?? 0;
    return `--${what}-limit ${formatBytes(limit)} exceeded: ${formatBytes(bytes)} ${what === 'memory' ? 'held' : 'swapped out'}`;
  }

  /** Ends every living member of the tree, and lets the recording say why. */
  async #endTree(why: string): Promise<void> {
    if (this.#endedBy !== null) return;
    this.#endedBy = why;
    this.#warn(`${why}: ending the workload`);
    this.#mark('note', why, null);
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
    this.#workload.kill(signal);
  }

  #onWriteFailure(text: string): void {
    if (this.#writeFailure) return;
    this.#writeFailure = text;
    const rest = this.#workload ? '; the workload goes on' : '';
    this.#say(`highwater: the recording in ${this.#folder} stops here: ${text}${rest}`);
  }

  #warn(text: string): void {
    this.#run.warnings.push(text);
    this.#say(`highwater: ${text}`);
  }

  #say(line: string): void {
    this.#liveLine?.makeWay(Buffer.from('\n'));
    this.#options.say(line);
  }

  #mark(kind: 'start' | 'end' | 'note', name: string, pid: number | null): void {
    const [seconds, ns] = process.hrtime(this.#origin);
    const time = seconds * SECOND_NS + ns;
    const mark = { time, timeFrom: TIME_FROM.agent, pid, kind, name };
    this.#threads.send({ type: 'mark', mark });
  }

  /** A full disk must not harm the workload: what cannot be said here is said on the terminal. */
  #saveRun(): void {
    try {
      writeRun(this.#folder, this.#run);
    } catch (error) {
      this.#onWriteFailure(describeError(error));
    }
  }

  /** Before anything is started: where nothing can be written there is nothing to record. */
  #writeFirst(): void {
    try {
      writeRun(this.#folder, this.#run);
    } catch (error) {
      throw new UserError(`cannot write ${this.#folder}: ${describeError(error)}`, {
        hint: 'choose another place with -o',
        exitCode: 125,
        cause: error,
      });
    }
  }

  #makeGroup(): OwnGroup | null {
    if (this.#options.argv.length === 0) return null;
    const made = makeOwnGroup(THIS_MACHINE, `${process.pid}-${this.#run.id}`);
    return 'reason' in made ? null : made;
  }

  #samplerSettings(): SamplerSettings {
    const { rateHz, memoryLimit, swapLimit, resetPeaks, pid } = this.#options;
    const location = this.#group ?? locateGroup(THIS_MACHINE, pid ?? 'self');
    const own = this.#group !== null;
    this.#run.cgroup = location && {
      version: location.version,
      own,
      limitBytes: groupLimit(THIS_MACHINE, location),
    };
    return {
      origin: this.#origin,
      rateHz,
      marker: `HIGHWATER_RUN=${this.#run.id}`,
      resetPeaks,
      cgroup: location && { version: location.version, folder: location.folder, own },
      memoryLimit,
      swapLimit,
    };
  }

  #oomCounts(): OomCounts {
    return {
      ownGroup: this.#group ? oomKills(this.#group) : null,
      machine: machineOomKills(THIS_MACHINE),
    };
  }
}

/** As a shell shows it: 128 + the signal's number. */
function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return signal ? 128 + (constants.signals[signal] ?? 0) : (code ?? 1);
}
