import { withoutSecrets } from '../../base/secrets/index.ts';
import { SECOND_NS } from '../../base/time.ts';
import { PASSED_OVER } from '../../model/engine-plan.ts';
import { TABLES, type TableSpec } from '../../model/schema.ts';
import { StringPool } from '../../model/strings.ts';
import { type Batch, TableBuffer } from '../../model/table.ts';
import { addAgentRows, addMark } from '../../sources/agent/agent-rows.ts';
import { CgroupSampler } from '../../sources/cgroup/index.ts';
import { HostSampler } from '../../sources/host.ts';
import { SOURCES } from '../../sources/index.ts';
import type { MallocReading } from '../../sources/malloc/reader.ts';
import type { MappedReading } from '../../sources/mappings/reader.ts';
import { OwnWork } from '../../sources/own-work.ts';
import { ProcessTree } from '../../sources/process-tree/index.ts';
import type { Machine, SampledRun, Sampler, Sink, Tick } from '../../sources/source.ts';
import type { LiveFigures } from '../run/live-figures.ts';
import type { EngineRow, FromSampler, Moment, SamplerSettings, ToSampler } from './messages.ts';

/** Above this rate most ticks are lean: they read the resident sizes of the processes alone. */
const FULL_HZ = 100;
/** A crash may cost less than a second; each flush has a price, so not much less. */
const FLUSH_NS = 0.7 * SECOND_NS;
const NAMES_NS = SECOND_NS;
const NAMES_SOON_NS = 0.05 * SECOND_NS;

/** All sampling of one run, without the waiting: a thread, a test or a benchmark calls `tick`. */
export class Sampling {
  readonly #settings: SamplerSettings;
  readonly #live: LiveFigures;
  readonly #tell: (message: FromSampler) => void;
  readonly #deliver: (spec: TableSpec, batch: Batch) => void;
  readonly #tables = new Map<string, TableBuffer>();
  /** Every text of every table goes through here, so that no secret is stored whoever said it. */
  readonly #strings = new StringPool(withoutSecrets);
  readonly #sink: Sink;
  readonly #samplers: readonly Sampler[];
  readonly #leanSamplers: readonly Sampler[];
  /** Among the samplers: whom messages and limits are about. */
  readonly #tree: ProcessTree;
  readonly #cgroup: CgroupSampler | null;
  readonly #host: HostSampler | null;
  readonly #ownWork = new OwnWork();
  readonly #leanTicks: number;
  #count = 0;
  #nextFlush = FLUSH_NS;
  #nextNames = 0;
  #namesSoon = false;
  #limitTold = false;
  #mappedTime = 0;
  #mallocTime = 0;
  #engineTime = 0;

  constructor(
    machine: Machine,
    settings: SamplerSettings,
    live: LiveFigures,
    tell: (message: FromSampler) => void,
    deliver: (spec: TableSpec, batch: Batch) => void,
    sources = SOURCES,
  ) {
    this.#settings = settings;
    this.#live = live;
    this.#tell = tell;
    this.#deliver = deliver;
    this.#leanTicks = Math.max(1, Math.round(settings.rateHz / FULL_HZ));
    const sink: Sink = {
      table: (spec) => this.#table(spec),
      intern: (text) => this.#strings.intern(text),
    };
    this.#sink = sink;
    const { marker, resetPeaks, cgroup } = settings;
    const run: SampledRun = {
      machine,
      sink,
      marker,
      lean: this.#leanTicks > 1,
      resetPeaks,
      cgroup,
      onBirth: (pid, startTime) => this.#onBirth(pid, startTime),
      onDeath: (pid) => tell({ type: 'death', pid }),
      onRise: (pid, rss) => tell({ type: 'rose', pid, rss }),
      ownWork: this.#ownWork,
      onOwnBirth: (pid, startTime) => tell({ type: 'own-birth', pid, startTime }),
      onOwnDeath: (pid) => tell({ type: 'own-death', pid }),
      onWarning: (text) => tell({ type: 'warning', text }),
    };
    this.#samplers = sources.flatMap((source) => source.open?.(run) ?? []);
    this.#leanSamplers = this.#samplers.filter(({ takesLeanTicks }) => takesLeanTicks);
    this.#tree = this.#samplers.find((sampler) => sampler instanceof ProcessTree)!;
    this.#cgroup = this.#samplers.find((sampler) => sampler instanceof CgroupSampler) ?? null;
    this.#host = this.#samplers.find((sampler) => sampler instanceof HostSampler) ?? null;
  }

  /** False when the message asks to stop. */
  handle(message: Exclude<ToSampler, Moment>, now: number): boolean {
    switch (message.type) {
      case 'root':
        // One that ended before we could look will never be seen to end.
        if (!this.#tree.addRoot(message.pid, now, message.ownSession)) {
          this.#tell({ type: 'death', pid: message.pid });
        }
        return true;
      case 'mark':
        addMark(this.#sink, message.mark);
        // Each iteration's exact peak: read the marks that the kernel kept since the last one, reset.
        if (this.#settings.resetPeaks && message.mark.kind === 'iteration') {
          this.#tree.sample({ time: now, full: true });
        }
        return true;
      case 'agent':
        addAgentRows(this.#sink, message.received);
        return true;
      case 'pss':
        this.#tree.takePss(message.readings, now);
        return true;
      case 'mapped':
        this.#addMapped(message.reading);
        return true;
      case 'malloc':
        this.#addMalloc(message.reading);
        return true;
      case 'engine':
        this.#addEngine(message.time, message.news);
        return true;
      case 'own':
        this.#tree.setOwnWork(message, now);
        return true;
      case 'stop':
        return false;
    }
  }

  tick(now: number, missed: number): void {
    const tick: Tick = { time: now, full: this.#count++ % this.#leanTicks === 0 };
    const all = tick.full || !this.#tree.watching;
    for (const sampler of all ? this.#samplers : this.#leanSamplers) sampler.sample(tick);
    this.#publish(now, missed);
    this.#checkLimits();
    if (this.#namesSoon) {
      this.#namesSoon = false;
      this.#nextNames = Math.min(this.#nextNames, now + NAMES_SOON_NS);
    }
    if (now >= this.#nextNames) {
      this.#tree.refreshNames(now);
      this.#nextNames = now + NAMES_NS;
    }
    if (now >= this.#nextFlush) this.flush(now);
  }

  flush(now: number): void {
    this.#nextFlush = now + FLUSH_NS;
    this.#table(TABLES.clock).push([now, Date.now() * 1e6]);
    for (const [id, text] of this.#strings.takeNew()) this.#table(TABLES.strings).push([id, text]);
    for (const buffer of this.#tables.values()) {
      if (buffer.rows > 0) this.#deliver(buffer.spec, buffer.take());
    }
  }

  /** The last flush. */
  end(now: number): void {
    this.#tree.settleNames();
    this.flush(now);
    for (const sampler of this.#samplers) sampler.close();
  }

  #table(spec: TableSpec): TableBuffer {
    let buffer = this.#tables.get(spec.name);
    if (!buffer) {
      buffer = new TableBuffer(spec);
      this.#tables.set(spec.name, buffer);
    }
    return buffer;
  }

  /** Read in another thread: what came meanwhile may be later, and a table's times do not go back. */
  #addMapped({ pid, time, rss, rows }: MappedReading): void {
    this.#mappedTime = Math.max(this.#mappedTime, time);
    const table = this.#table(TABLES.mapped);
    const { intern } = this.#sink;
    for (const { kind, name, bytes } of rows)
      table.push([this.#mappedTime, pid, rss, intern(kind), intern(name), bytes]);
  }

  #addMalloc({ pid, time, held, inUse, free, freeHeld }: MallocReading): void {
    this.#mallocTime = Math.max(this.#mallocTime, time);
    this.#table(TABLES.malloc).push([this.#mallocTime, pid, held, inUse, free, freeHeld]);
  }

  /** Lines of several streams may come out of their order. */
  #addEngine(time: number, news: EngineRow): void {
    this.#engineTime = Math.max(this.#engineTime, time);
    const { intern } = this.#sink;
    const at = this.#engineTime;
    if (news.type === 'figure') {
      const { engine, version, worker, pid, load, device, what, value, wording, line } =
        news.figure;
      const who = [intern(engine), intern(version), intern(worker), pid, load, intern(device)];
      this.#table(TABLES.planned).push([at, ...who, intern(what), value, intern(wording), line]);
      return;
    }
    if (news.type === 'passed-over') {
      const nobody = [intern(news.engine), intern(''), intern(''), null, 0, intern('')];
      const none = [intern(PASSED_OVER), Number.NaN, intern(news.known), news.line];
      this.#table(TABLES.planned).push([at, ...nobody, ...none]);
      return;
    }
    const { engine, worker, from, kvUsed, running, waiting, preemptions } = news.sample;
    const who = [intern(engine), intern(worker), intern(from)];
    this.#table(TABLES.serving).push([at, ...who, kvUsed, running, waiting, preemptions]);
  }

  /** A new process is often about to exec: its name is looked at again soon. */
  #onBirth(pid: number, startTime: number): void {
    this.#namesSoon = true;
    this.#tell({ type: 'birth', pid, startTime });
  }

  #publish(now: number, missed: number): void {
    const live = this.#live;
    const { rss, pss, processes } = this.#tree.now;
    const current = pss > 0 ? pss : rss;
    live.set('ticks', this.#count);
    live.set('missed', missed);
    live.set('stolenShare', this.#host?.stolenShare ?? 0);
    live.set('processes', processes);
    live.set('current', current);
    if (current > live.get('peak')) {
      live.set('peak', current);
      live.set('peakTime', now);
    }
  }

  /** Judged on what the tree really holds: summed RSS counts shared pages many times over. */
  #checkLimits(): void {
    const { memoryLimit, swapLimit, cgroup } = this.#settings;
    if (this.#limitTold || (memoryLimit === null && swapLimit === null)) return;
    const ofGroup = cgroup?.own && !this.#ownWork.busy ? this.#cgroup?.now.held : undefined;
    const held = ofGroup ?? this.#tree.now.pss;
    if (memoryLimit !== null && held > memoryLimit) this.#tellLimit('memory', held);
    else if (swapLimit !== null && this.#tree.now.swap > swapLimit) {
      this.#tellLimit('swap', this.#tree.now.swap);
    }
  }

  #tellLimit(what: 'memory' | 'swap', bytes: number): void {
    this.#limitTold = true;
    this.#tell({ type: 'limit', what, bytes });
  }
}
