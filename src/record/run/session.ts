import { constants } from 'node:os';
import { describeError, UserError } from '../../base/errors.ts';
import type { EngineNews } from '../../formats/log-lines/index.ts';
import { MappingReader } from '../../sources/mappings/reader.ts';
import { judgeOom, kernelLogSince } from '../../sources/oom.ts';
import { readStat } from '../../sources/proc.ts';
import { PssReader } from '../../sources/pss.ts';
import { ShmWatch } from '../../sources/shm-files.ts';
import { THIS_MACHINE } from '../../sources/source.ts';
import { agentClock } from '../agents/agent-clock.ts';
import { type Agents, openAgents } from '../agents/agents.ts';
import { workloadEnvironment } from '../agents/injection.ts';
import { MarkIntake } from '../agents/mark-intake.ts';
import { HeapWatch } from '../heaps/heap-watch.ts';
import { OwnWorkWatch } from '../heaps/own-work.ts';
import { EngineMetrics } from '../log/engine-metrics.ts';
import { LogWatch } from '../log/log-watch.ts';
import { PushWatch } from '../push/push-watch.ts';
import { pushSettingsOrNone } from '../push/settings.ts';
import { planGpuOrNone } from '../threads/gpu-plan.ts';
import { GpuWatch } from '../threads/gpu-watch.ts';
import { MallocWatch } from '../threads/malloc-watch.ts';
import { RecorderThreads, type SamplerNews } from '../threads/threads.ts';
import type { WorkloadCgroup } from '../workload/control-group.ts';
import { LivingProcesses } from '../workload/living-processes.ts';
import { Signals } from '../workload/signals.ts';
import { Workload } from '../workload/workload.ts';
import { InterruptibleSleep } from './interruptible-sleep.ts';
import { LiveLine } from './live-line.ts';
import { openRun } from './open-run.ts';
import type { SessionOptions, SessionResult } from './options.ts';
import type { RunFile } from './run-file.ts';
import { RunLimits } from './run-limits.ts';
import { UnmetFlags } from './unmet-flags.ts';

export type { SessionOptions, SessionResult } from './options.ts';

/** Messages that memory ran out whose figures are kept: a batch finder runs out on purpose, many times. */
const MOST_OUT_OF_MEMORY = 32;
/** A line of statistics each ten seconds for a month, or each of them a figure of a plan. */
const MOST_ENGINE_ROWS = 300_000;
const NOT_STARTED = { code: null, signal: null, oomKilled: null, oomEvidence: '' };

/** Records one run from the first sample to the last. */
export async function record(options: SessionOptions): Promise<SessionResult> {
  return new Session(options).run();
}

class Session {
  readonly #options: SessionOptions;
  readonly #runFile: RunFile;
  readonly #origin = process.hrtime();
  readonly #processes = new LivingProcesses(THIS_MACHINE);
  readonly #sleep = new InterruptibleSleep();
  readonly #signals = new Signals(() => this.#sleep.interrupt());
  readonly #group: WorkloadCgroup;
  readonly #threads: RecorderThreads;
  readonly #gpu: GpuWatch | null;
  readonly #push: PushWatch | null;
  readonly #marks: MarkIntake;
  readonly #limits: RunLimits;
  readonly #pss: PssReader;
  readonly #mappings: MappingReader;
  readonly #malloc: MallocWatch;
  #agents: Agents | null = null;
  #engineRows = 0;
  readonly #engineMetrics: EngineMetrics | null;
  readonly #ownWork: OwnWorkWatch;
  readonly #liveLine: LiveLine | null;
  #onSampled = () => {};
  /** The process of `pid` is sampled. */
  readonly #sampled = new Promise<void>((resolve) => {
    this.#onSampled = resolve;
  });
  /** Where agents of a process that ran already may speak; not told yet. */
  #socket: string | null = null;

  constructor(options: SessionOptions) {
    this.#options = options;
    const gpuPlan = planGpuOrNone(options.gpu ?? 'auto', options.strict, options.say);
    const push = pushSettingsOrNone(options, process.env);
    const { runFile, group } = openRun(options, this.#origin, (line) => this.#say(line));
    this.#runFile = runFile;
    options.onFolder?.(runFile.folder);
    this.#group = group;
    const { rateHz, resetPeaks, memoryLimit, swapLimit } = options;
    const settings = {
      origin: this.#origin,
      rateHz,
      marker: `HIGHWATER_RUN=${runFile.run.id}`,
      resetPeaks,
      cgroup: group.settings,
      memoryLimit,
      swapLimit,
    };
    this.#gpu = GpuWatch.open(gpuPlan, { origin: this.#origin, rateHz, pid: options.pid }, runFile);
    const events = {
      onSampler: (message: SamplerNews) => this.#onSampler(message),
      onWriteFailure: (text: string, code: string | null) => runFile.fail(text, code),
      onWarning: (text: string) => runFile.warn(text),
    };
    const outlet = this.#gpu?.outlet;
    const { maxDisk } = options;
    this.#push = push && new PushWatch(push, runFile, (line) => this.#say(line));
    const windows = this.#push && { lengthNs: push!.everyNs, inlet: this.#push.inlet };
    this.#threads = new RecorderThreads(
      runFile.folder,
      maxDisk,
      settings,
      events,
      outlet,
      windows,
      options.meanwhile !== undefined,
    );
    this.#gpu?.start(this.#threads.live, this.#threads.signal);
    this.#marks = new MarkIntake(this.#origin, {
      onMark: (mark) => this.#threads.send({ type: 'mark', mark }),
      onIteration: (done, { iteration }) => {
        this.#liveLine?.setIteration(iteration ?? done);
        this.#limits.onIterations(done);
      },
      onOutOfMemory: (ns, figures) => {
        runFile.run.outOfMemory ??= [];
        if (runFile.run.outOfMemory.length < MOST_OUT_OF_MEMORY)
          runFile.run.outOfMemory.push({ ns, ...figures });
      },
    });
    this.#limits = new RunLimits(options, this.#processes, runFile, this.#marks);
    this.#pss = new PssReader(THIS_MACHINE, (readings) =>
      this.#threads.send({ type: 'pss', readings }),
    );
    this.#mappings = new MappingReader(THIS_MACHINE, () => this.#marks.now(), {
      onRead: (pid) => this.#agents?.tell(pid, 'memory'),
      onReading: (reading) => this.#threads.send({ type: 'mapped', reading }),
    });
    this.#malloc = new MallocWatch(this.#origin, (reading) =>
      this.#threads.send({ type: 'malloc', reading }),
    );
    this.#engineMetrics =
      options.engineMetrics === false
        ? null
        : new EngineMetrics(
            () => this.#processes.pids,
            (sample) => this.#takeEngine({ type: 'sample', sample, line: 0 }, 0),
          );
    this.#ownWork = new OwnWorkWatch({
      pss: this.#pss,
      processes: this.#processes,
      group,
      send: (message) => this.#threads.send(message),
    });
    this.#liveLine =
      process.stderr.isTTY && !options.quiet
        ? new LiveLine(process.stderr, this.#threads.live)
        : null;
  }

  async run(): Promise<SessionResult> {
    this.#signals.start();
    try {
      await Promise.all([this.#threads.ready, this.#gpu?.ready]);
      this.#push?.start(this.#threads.live);
      const exitCode = await this.#observe();
      await this.#finish();
      return { folder: this.#runFile.folder, exitCode, writeFailure: this.#runFile.failure };
    } catch (error) {
      // A command that could not be started leaves no threads, no group and no open end behind.
      this.#runFile.run.warnings.push(describeError(error));
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
    const { run } = this.#runFile;
    const agents = pid === null ? null : await this.#openAgents();
    this.#agents = agents;
    this.#runFile.begin();
    this.#marks.add('start', run.name, pid);
    if (pid !== null) {
      run.rootPid = pid;
      this.#runFile.save();
      this.#socket = agents?.path ?? null;
      this.#threads.send({ type: 'root', pid, ownSession: false });
    }
    const { meanwhile } = this.#options;
    let moment: number | undefined;
    if (meanwhile) moment = await this.#doMeanwhile(meanwhile, agents);
    else await this.#sleep.for(durationSeconds ?? Number.POSITIVE_INFINITY);
    this.#marks.add('end', run.name, pid, moment);
    if (moment !== undefined) this.#threads.send({ type: 'moment', time: moment });
    await agents?.close([], 'auto');
    delete run.recorder.socket;
    return 0;
  }

  /** What was asked for, and no longer; whoever interrupts it, or an end of the process, ends it. */
  async #doMeanwhile(
    work: NonNullable<SessionOptions['meanwhile']>,
    agents: Agents | null,
  ): Promise<number> {
    const { folder, run } = this.#runFile;
    const first = this.#sampled.then(() =>
      work({
        folder,
        socket: agents?.path ?? null,
        run,
        now: () => this.#marks.now(),
        since: (time) => agentClock(this.#origin)(time),
        beside: (pid, inFork) => this.#ownWork.beside(pid, inFork),
      }),
    );
    first.catch(() => {}); // it may come to its end after whoever interrupted it
    const interrupted = this.#sleep.for(Number.POSITIVE_INFINITY).then(() => {
      const by = this.#signals.first;
      throw by
        ? new UserError(`${by} came before it was done`, { exitCode: exitCodeOf(null, by) })
        : new UserError(`process ${this.#options.pid} has ended`);
    });
    interrupted.catch(() => {});
    try {
      return await Promise.race([first, interrupted]);
    } finally {
      this.#sleep.interrupt();
    }
  }

  /** In the recording, as the process has its environment already; once it is sampled, so that nothing is said before. */
  #tellSocket(): void {
    if (this.#socket === null) return;
    this.#runFile.run.recorder.socket = this.#socket;
    this.#runFile.save();
    this.#socket = null;
  }

  #openAgents(): Promise<Agents> {
    return openAgents({
      marks: this.#marks,
      runFile: this.#runFile,
      origin: this.#origin,
      maxDisk: this.#options.maxDisk,
      unmetFlags: new UnmetFlags(this.#options),
      onRows: (received) => {
        this.#threads.send({ type: 'agent', received });
        const { message } = received;
        if (message.type === 'held') this.#mappings.told(received.pid);
        if (message.type !== 'counters') return;
        if ('malloc.free' in message.values) this.#malloc.told(received.pid);
        else if ('v8.external' in message.values) this.#malloc.spoke(received.pid);
      },
      onOwn: ({ begins, left }, pid) =>
        begins ? this.#ownWork.begins(pid) : this.#ownWork.ends(pid, left),
    });
  }

  async #observeCommand(): Promise<number> {
    const { beforeSeconds, afterSeconds, watch, onOutput, markPatterns, logFile } = this.#options;
    const { run } = this.#runFile;
    const agents = await this.#openAgents();
    this.#agents = agents;
    const ownStreams = watch && !onOutput;
    const log = new LogWatch(
      markPatterns,
      logFile,
      ownStreams,
      (mark) => this.#marks.addLine(mark),
      (news, ageNs) => this.#takeEngine(news, ageNs),
    );
    await this.#sleep.for(beforeSeconds);
    const early = this.#signals.first;
    const { argv, agent = 'auto' } = this.#options;
    if (early) {
      await Promise.all([agents.close([], 'auto'), log.stop()]);
      run.exit = { ...NOT_STARTED, endedBy: `${early} came before the command was started` };
      return exitCodeOf(null, early);
    }
    const shm = new ShmWatch(() => this.#processes.pids);
    const { workload, code, signal } = await this.#runCommand(agents, log);
    await workload.finish();
    await Promise.all([agents.close(argv, agent), log.stop()]);
    if (log.caveat) run.warnings.push(log.caveat);
    if ((signal !== null || code !== 0) && !run.exit?.endedBy) this.#keepLastWords(log.lastLines);
    this.#signals.workload = null;
    await this.#sleep.for(afterSeconds);
    const left = shm.end();
    if (left.length > 0) run.leftInShm = left;
    return exitCodeOf(code, signal);
  }

  /** What an engine that serves models says of its memory; so many rows, as it may talk all day. */
  #takeEngine(news: EngineNews, ageNs: number): void {
    if (news.type === 'listens') this.#engineMetrics?.found(news.engine, news.port);
    if (news.type === 'listens' || this.#engineRows >= MOST_ENGINE_ROWS) return;
    this.#engineRows++;
    this.#threads.send({ type: 'engine', time: Math.max(0, this.#marks.now() - ageNs), news });
  }

  /** Of a workload that failed, what it said last. */
  #keepLastWords(lines: string[]): void {
    if (lines.length > 0) this.#runFile.run.lastOutput = lines;
    this.#runFile.save();
  }

  /** From the start of the command to its exit, which is noted; its last output may be under way. */
  async #runCommand(agents: Agents, log: LogWatch) {
    const { run } = this.#runFile;
    const { onOutput } = this.#options;
    const counts = this.#group.oomCounts();
    this.#marks.add('start', run.name, null);
    const workload = await Workload.start({
      argv: this.#options.argv,
      env: workloadEnvironment(this.#options, this.#runFile, agents.path),
      cgroupProcs: this.#group.procs,
      watch: this.#options.watch,
      outputTaken: onOutput !== undefined,
      onOutput: (chunk, target) => {
        onOutput?.(chunk, target === 1 ? 'stdout' : 'stderr');
        this.#liveLine?.makeWay(chunk);
        const at = performance.now();
        return () => log.take(String(target), chunk, at);
      },
    });
    this.#signals.workload = workload;
    this.#runFile.begin();
    this.#options.onStart?.();
    const { pid, ownSession, exited } = workload;
    // The sampling thread will tell of it too, but an early end must not wait for that.
    const stat = readStat(THIS_MACHINE.proc, pid);
    if (stat) this.#processes.add(pid, stat.startTime);
    this.#threads.send({ type: 'root', pid, ownSession });
    run.rootPid = pid;
    this.#runFile.save();
    this.#limits.startDuration();
    const heaps = this.#watchHeaps();
    const { code, signal } = await exited;
    this.#limits.stopDuration();
    this.#engineMetrics?.stop();
    this.#marks.add('end', run.name, pid);
    await heaps?.stop();
    const oom = judgeOom(counts, this.#group.oomCounts(), this.#processes.everSeen, () =>
      kernelLogSince(this.#origin[0] * 1e6),
    );
    run.exit = {
      code,
      signal,
      oomKilled: oom.oomKilled,
      oomEvidence: oom.evidence,
      endedBy: this.#limits.why,
    };
    this.#runFile.save();
    return { workload, code, signal };
  }

  #watchHeaps(): HeapWatch | null {
    const { heaps, durationSeconds, maxDisk } = this.#options;
    if (!heaps) return null;
    const watch = new HeapWatch(
      { count: heaps, durationSeconds, maxDisk },
      this.#runFile,
      () => this.#processes.everSeen,
      () => this.#marks.now(),
      this.#ownWork,
    );
    watch.start();
    return watch;
  }

  async #finish(): Promise<void> {
    this.#pss.stop();
    this.#mappings.stop();
    this.#malloc.stop();
    this.#engineMetrics?.stop();
    this.#liveLine?.stop();
    await this.#gpu?.stop();
    const end = await this.#threads.stop();
    this.#group.remove();
    this.#runFile.close(end, this.#pss.denied);
    await this.#push?.finish();
  }

  #onSampler(message: SamplerNews): void {
    switch (message.type) {
      case 'birth':
        this.#processes.add(message.pid, message.startTime);
        this.#pss.add(message.pid);
        this.#malloc.add(message.pid);
        this.#gpu?.evidence.addMember(message.pid);
        if (message.pid === this.#options.pid) {
          this.#tellSocket();
          this.#onSampled();
        }
        return;
      case 'death':
        this.#processes.remove(message.pid);
        this.#ownWork.ends(message.pid);
        this.#pss.remove(message.pid);
        this.#malloc.remove(message.pid);
        this.#mappings.ended(message.pid);
        this.#gpu?.evidence.removeMember(message.pid);
        if (message.pid === this.#options.pid) this.#sleep.interrupt();
        return;
      case 'rose':
        this.#mappings.rose(message.pid, message.rss);
        return;
      case 'own-birth':
        this.#ownWork.born(message.pid, message.startTime);
        return;
      case 'own-death':
        this.#ownWork.died(message.pid);
        return;
      case 'limit':
        this.#limits.onLimit(message.what, message.bytes);
        return;
      case 'warning':
        this.#runFile.warn(message.text);
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
