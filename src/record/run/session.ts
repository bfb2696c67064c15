import { constants } from 'node:os';
import { describeError } from '../../base/errors.ts';
import { judgeOom, kernelLogSince } from '../../sources/oom.ts';
import { readStat } from '../../sources/proc.ts';
import { PssReader } from '../../sources/pss.ts';
import { shmFiles, shmLeft } from '../../sources/shm-files.ts';
import { THIS_MACHINE } from '../../sources/source.ts';
import { type Agents, openAgents } from '../agents/agents.ts';
import { MarkIntake } from '../agents/mark-intake.ts';
import { HeapWatch } from '../heaps/heap-watch.ts';
import { LogWatch } from '../log/log-watch.ts';
import { planGpu } from '../threads/gpu-plan.ts';
import { GpuWatch } from '../threads/gpu-watch.ts';
import { RecorderThreads, type SamplerNews } from '../threads/threads.ts';
import { workloadEnvironment } from '../workload/environment.ts';
import type { WorkloadGroup } from '../workload/group.ts';
import { Members } from '../workload/members.ts';
import { Signals } from '../workload/signals.ts';
import { Workload } from '../workload/workload.ts';
import { noteClosing } from './closing.ts';
import { EarlyEnd } from './early-end.ts';
import { Interruption } from './interruption.ts';
import { LiveLine } from './live-line.ts';
import { openRun } from './opening.ts';
import type { RecordOptions, RecordResult } from './options.ts';
import type { RunKeeper } from './run-keeper.ts';
import { Wishes } from './unmet-flags.ts';

export type { RecordOptions, RecordResult } from './options.ts';

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
  readonly #signals = new Signals(() => this.#interruption.interrupt());
  readonly #group: WorkloadGroup;
  readonly #threads: RecorderThreads;
  readonly #gpu: GpuWatch | null;
  readonly #marks: MarkIntake;
  readonly #earlyEnd: EarlyEnd;
  readonly #pss: PssReader;
  readonly #liveLine: LiveLine | null;

  constructor(options: RecordOptions) {
    this.#options = options;
    const gpuPlan = planGpu(options.gpu ?? 'auto');
    const { keeper, group } = openRun(options, (line) => this.#say(line));
    this.#keeper = keeper;
    options.onFolder?.(keeper.folder);
    this.#group = group;
    const { rateHz, resetPeaks, memoryLimit, swapLimit } = options;
    const settings = {
      origin: this.#origin,
      rateHz,
      marker: `HIGHWATER_RUN=${keeper.run.id}`,
      resetPeaks,
      cgroup: group.settings,
      memoryLimit,
      swapLimit,
    };
    this.#gpu = GpuWatch.open(gpuPlan, { origin: this.#origin, rateHz, pid: options.pid }, keeper);
    const events = {
      onSampler: (message: SamplerNews) => this.#onSampler(message),
      onWriteFailure: (text: string) => keeper.fail(text),
    };
    const outlet = this.#gpu?.outlet;
    const { maxDisk } = options;
    this.#threads = new RecorderThreads(keeper.folder, maxDisk, settings, events, outlet);
    this.#gpu?.start(this.#threads.live, this.#threads.signal);
    this.#marks = new MarkIntake(this.#origin, {
      onMark: (mark) => this.#threads.send({ type: 'mark', mark }),
      onIteration: (done, { iteration }) => {
        this.#liveLine?.setIteration(iteration ?? done);
        this.#earlyEnd.onIterations(done);
      },
    });
    this.#earlyEnd = new EarlyEnd(options, this.#members, keeper, this.#marks);
    this.#pss = new PssReader(THIS_MACHINE, (readings) =>
      this.#threads.send({ type: 'pss', readings }),
    );
    this.#liveLine =
      process.stderr.isTTY && !options.quiet
        ? new LiveLine(process.stderr, this.#threads.live)
        : null;
  }

  async run(): Promise<RecordResult> {
    this.#signals.start();
    try {
      await Promise.all([this.#threads.ready, this.#gpu?.ready]);
      const exitCode = await this.#observe();
      await this.#finish();
      return { folder: this.#keeper.folder, exitCode, writeFailure: this.#keeper.failure };
    } catch (error) {
      // A command that could not be started leaves no threads, no group and no open end behind.
      this.#keeper.run.warnings.push(describeError(error));
      await this.#finish();
      throw error;
    } finally {
      this.#signals.workload?.restoreTerminal();
      this.#signals.stop();
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
    const { beforeSeconds, afterSeconds, watch, markPatterns, logFile } = this.#options;
    const { run } = this.#keeper;
    const agents = await openAgents({
      marks: this.#marks,
      keeper: this.#keeper,
      origin: this.#origin,
      maxDisk: this.#options.maxDisk,
      wishes: new Wishes(this.#options),
      onRows: (received) => this.#threads.send({ type: 'agent', received }),
    });
    const log = new LogWatch(markPatterns, logFile, watch, (mark) => this.#marks.addLine(mark));
    await this.#interruption.sleep(beforeSeconds);
    const early = this.#signals.first;
    const { argv, agent = 'auto' } = this.#options;
    if (early) {
      await Promise.all([agents.close([], 'auto'), log.stop()]);
      run.exit = { ...NOT_STARTED, endedBy: `${early} came before the command was started` };
      return exitCodeOf(null, early);
    }
    const shm = shmFiles();
    const { workload, code, signal } = await this.#runCommand(agents, log);
    await workload.finish();
    await Promise.all([agents.close(argv, agent), log.stop()]);
    if (log.caveat) run.warnings.push(log.caveat);
    this.#signals.workload = null;
    await this.#interruption.sleep(afterSeconds);
    const left = shmLeft(shm);
    if (left.length > 0) run.leftInShm = left;
    return exitCodeOf(code, signal);
  }

  /** From the start of the command to its exit, which is noted; its last output may be under way. */
  async #runCommand(agents: Agents, log: LogWatch) {
    const { run } = this.#keeper;
    const counts = this.#group.oomCounts();
    this.#marks.add('start', run.name, null);
    const workload = await Workload.start({
      argv: this.#options.argv,
      env: workloadEnvironment(this.#options, this.#keeper, agents.path),
      cgroupProcs: this.#group.procs,
      watch: this.#options.watch,
      onOutput: (chunk, target) => {
        this.#liveLine?.makeWay(chunk);
        log.take(String(target), chunk);
      },
    });
    this.#signals.workload = workload;
    const { pid, ownSession, exited } = workload;
    // The sampling thread will tell of it too, but an early end must not wait for that.
    const stat = readStat(THIS_MACHINE.proc, pid);
    if (stat) this.#members.add(pid, stat.startTime);
    this.#threads.send({ type: 'root', pid, ownSession });
    run.rootPid = pid;
    this.#keeper.save();
    this.#earlyEnd.startDuration();
    const heaps = this.#watchHeaps();
    const { code, signal } = await exited;
    this.#earlyEnd.stopDuration();
    await heaps?.stop();
    this.#marks.add('end', run.name, pid);
    const oom = judgeOom(counts, this.#group.oomCounts(), this.#members.everSeen, () =>
      kernelLogSince(this.#origin[0] * 1e6),
    );
    run.exit = {
      code,
      signal,
      oomKilled: oom.oomKilled,
      oomEvidence: oom.evidence,
      endedBy: this.#earlyEnd.why,
    };
    this.#keeper.save();
    return { workload, code, signal };
  }

  #watchHeaps(): HeapWatch | null {
    const { heaps, durationSeconds, maxDisk } = this.#options;
    if (!heaps) return null;
    const watch = new HeapWatch(
      { count: heaps, durationSeconds, maxDisk },
      this.#keeper,
      () => this.#members.everSeen,
      () => this.#marks.now(),
    );
    watch.start();
    return watch;
  }

  async #finish(): Promise<void> {
    this.#pss.stop();
    this.#liveLine?.stop();
    await this.#gpu?.stop();
    const end = await this.#threads.stop();
    this.#group.remove();
    noteClosing(this.#keeper.run, end, this.#pss.denied);
    this.#keeper.save();
  }

  #onSampler(message: SamplerNews): void {
    switch (message.type) {
      case 'birth':
        this.#members.add(message.pid, message.startTime);
        this.#pss.add(message.pid);
        this.#gpu?.evidence.addMember(message.pid);
        return;
      case 'death':
        this.#members.remove(message.pid);
        this.#pss.remove(message.pid);
        this.#gpu?.evidence.removeMember(message.pid);
        if (message.pid === this.#options.pid) this.#interruption.interrupt();
        return;
      case 'limit':
        this.#earlyEnd.onLimit(message.what, message.bytes);
        return;
      case 'warning':
        this.#keeper.warn(message.text);
        return;
    }
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
