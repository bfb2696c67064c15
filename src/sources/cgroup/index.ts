import { TABLES } from '../../model/schema.ts';
import type { TableBuffer } from '../../model/table.ts';
import { OwnWork } from '../own-work.ts';
import { HeldFile, numberAt } from '../proc.ts';
import type { GroupLocation, Sampler, Sink, Source, Tick } from '../source.ts';
import { FILES, groupLimit, locateGroup } from './location.ts';

/** What a control group is charged for: the kernel's own sum over a tree, with its exact peak. */
export const cgroupSource: Source<CgroupSampler> = {
  id: 'cgroup',
  title: "the workload's control group",
  probe(machine) {
    const location = locateGroup(machine);
    if (!location) return { ok: false, reason: 'no control group with memory accounting' };
    const limit = groupLimit(machine, location);
    return {
      ok: true,
      detail: `version ${location.version}, ${limit === null ? 'no limit' : `limit ${limit} bytes`}`,
    };
  },
  open({ sink, cgroup, ownWork, onWarning }) {
    if (!cgroup) return null;
    try {
      return new CgroupSampler(sink, cgroup, ownWork);
    } catch {
      onWarning('the control group could not be opened for reading');
      return null;
    }
  },
};

export class CgroupSampler implements Sampler {
  readonly #table: TableBuffer;
  readonly #buffer = Buffer.alloc(8192);
  readonly #current: HeldFile;
  readonly #peak: HeldFile | null;
  readonly #stat: HeldFile | null;
  readonly #events: HeldFile | null;
  readonly #version: 1 | 2;
  /** Page cache is charged too, but is given back on demand: limits are judged without it. */
  readonly now = { current: Number.NaN, held: Number.NaN };
  #file = Number.NaN;
  #anon = Number.NaN;
  #shmem = Number.NaN;
  #swap = Number.NaN;
  #kills = Number.NaN;
  #highest = Number.NaN;
  readonly #work: OwnWork;
  /** The kernel's peak when we were last at work in the group: up to there it may be ours. */
  #ourPeak = 0;
  #ticks = 0;

  constructor(sink: Sink, { version, folder }: GroupLocation, work = new OwnWork()) {
    this.#version = version;
    this.#work = work;
    this.#table = sink.table(TABLES.cgroup);
    const open = (name: string) => {
      try {
        return new HeldFile(`${folder}/${name}`, this.#buffer);
      } catch {
        return null;
      }
    };
    this.#current = new HeldFile(`${folder}/${FILES[version].current}`, this.#buffer);
    this.#peak = open(FILES[version].peak);
    this.#stat = open('memory.stat');
    this.#events = open(FILES[version].events);
  }

  sample(tick: Tick): void {
    const current = this.#number(this.#current);
    if (Number.isNaN(current)) return;
    // The details move slowly and cost ten times as much: every tenth full tick. The kernel keeps
    // the peak for us; it is read when something moved, or else with the details.
    const moved = current !== this.now.current;
    const details = tick.full && this.#ticks++ % 10 === 0;
    if (details) this.#readDetails();
    if (details || (tick.full && moved)) this.#highest = this.#number(this.#peak);
    const ours = this.#work.insideBytes;
    if (this.#work.busy || ours > 0) this.#ourPeak = this.#number(this.#peak) || 0;
    this.now.current = current;
    this.now.held = current - (this.#file || 0) + (this.#shmem || 0) - ours;
    const row = this.#table.addRow();
    this.#table.f64(0)[row] = tick.time;
    // A fork of ours keeps pages alive that the program has since written anew: both are charged, and nobody can tell them apart.
    this.#table.f64(1)[row] = this.#work.busy ? Number.NaN : current - ours;
    this.#table.f64(2)[row] =
      tick.full && this.#highest > this.#ourPeak ? this.#highest : Number.NaN;
    this.#table.f64(3)[row] = this.#swap;
    this.#table.f64(4)[row] = this.#file;
    this.#table.f64(5)[row] = this.#kills;
    // Only where they were read: a leak is judged by them, and a figure that is carried on looks flat.
    this.#table.f64(6)[row] = details && !this.#work.busy ? this.#anon - ours : Number.NaN;
    this.#table.f64(7)[row] = details ? this.#shmem : Number.NaN;
  }

  close(): void {
    for (const file of [this.#current, this.#peak, this.#stat, this.#events]) file?.close();
  }

  #number(file: HeldFile | null): number {
    const length = file?.read() ?? -1;
    return length > 0 ? numberAt(this.#buffer, 0, length) : Number.NaN;
  }

  #readDetails(): void {
    const length = this.#stat?.read() ?? -1;
    if (length > 0) {
      const total = this.#version === 1 ? 'total_' : '';
      this.#file = this.#field(`${this.#version === 1 ? 'total_cache' : 'file'} `, length);
      this.#anon = this.#field(`${this.#version === 1 ? 'total_rss' : 'anon'} `, length);
      this.#shmem = this.#field(`${total}shmem `, length);
      if (this.#version === 1) this.#swap = this.#field('total_swap ', length);
    }
    const events = this.#events?.read() ?? -1;
    if (events > 0) this.#kills = this.#field('oom_kill ', events);
  }

  /** A field at the start of a line. */
  #field(label: string, length: number): number {
    const atStart = this.#buffer.toString('latin1', 0, label.length) === label;
    const at = atStart ? 0 : this.#buffer.indexOf(`\n${label}`) + 1;
    if (at === 0 && !atStart) return Number.NaN;
    return at >= length ? Number.NaN : numberAt(this.#buffer, at + label.length, length);
  }
}
