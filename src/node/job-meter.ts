import { FILES, groupLimit, oomKills } from '../sources/cgroup/location.ts';
import { type HeldFile, numberAt, openOrNull, readText } from '../sources/proc.ts';
import type { Machine } from '../sources/source.ts';
import type { JobGroup } from './groups.ts';
import { LastSeconds } from './last-seconds.ts';

/** What a job holds, in bytes; NaN where the kernel does not tell. */
export interface JobReading {
  /** Charged to it, cache included. */
  readonly current: number;
  /** What the kernel cannot take back: anonymous, shared memory, swapped out. */
  readonly held: number;
}

/** Limits are rarely changed, and are those of all groups above. */
const LIMIT_LOOKS = 10;

const buffer = Buffer.alloc(16_384);

/** One job on this machine: its control group's files, held open for as long as it lives. */
export class JobMeter {
  readonly group: JobGroup;
  readonly #machine: Machine;
  readonly #current: HeldFile | null;
  readonly #peak: HeldFile | null;
  readonly #stat: HeldFile | null;
  readonly #currents: LastSeconds;
  readonly #helds: LastSeconds;
  #highest = Number.NaN;
  #looks = 0;
  now: JobReading = { current: Number.NaN, held: Number.NaN };
  heldPeak = Number.NaN;
  kills: number | null = null;
  limit: number | null = null;
  /** Unix time, ms. */
  readonly seenMs: number;
  endedMs: number | null = null;

  /** `isNew`: it was not there when we last looked, so that its peak so far is of this second. */
  constructor(
    machine: Machine,
    group: JobGroup,
    windowSeconds: number,
    nowMs: number,
    isNew: boolean,
  ) {
    this.group = group;
    this.#machine = machine;
    this.seenMs = nowMs;
    const files = FILES[group.version];
    const open = (name: string) => openOrNull(`${group.folder}/${name}`, buffer);
    this.#current = open(files.current);
    this.#peak = open(files.peak);
    this.#stat = open('memory.stat');
    this.#currents = new LastSeconds(windowSeconds);
    this.#helds = new LastSeconds(windowSeconds);
    if (isNew) this.#highest = 0;
  }

  /** The kernel's own exact peak since the group was made; NaN before Linux 5.19 with version 2. */
  get peak(): number {
    return this.#highest > 0 ? this.#highest : Number.NaN;
  }

  get windowPeak(): number {
    return this.#currents.largest;
  }

  get windowHeldPeak(): number {
    return this.#helds.largest;
  }

  /** False: the group is gone. */
  sample(): boolean {
    const current = this.#number(this.#current);
    if (Number.isNaN(current)) return false;
    const peak = this.#number(this.#peak);
    // Higher than ever: then the kernel's peak is of this second, and no sample can miss it.
    this.#currents.add(peak > this.#highest ? peak : current);
    if (!Number.isNaN(peak)) this.#highest = peak;
    const held = this.#held();
    this.#helds.add(held);
    if (!(held <= this.heldPeak) && !Number.isNaN(held)) this.heldPeak = held;
    this.now = { current, held };
    this.kills = oomKills(this.group);
    if (this.#looks++ % LIMIT_LOOKS === 0) this.limit = groupLimit(this.#machine, this.group);
    return true;
  }

  /** Its files are closed; what was read of it stays. */
  end(nowMs: number): void {
    this.endedMs = nowMs;
    for (const file of [this.#current, this.#peak, this.#stat]) file?.close();
  }

  #number(file: HeldFile | null): number {
    const length = file?.read() ?? -1;
    return length > 0 ? numberAt(buffer, 0, length) : Number.NaN;
  }

  #held(): number {
    const length = this.#stat?.read() ?? -1;
    if (length <= 0) return Number.NaN;
    const text = buffer.toString('latin1', 0, length);
    const field = (name: string) =>
      Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
    if (this.group.version === 1)
      return field('total_rss') + (field('total_shmem') || 0) + (field('total_swap') || 0);
    const swap = Number(readText(`${this.group.folder}/memory.swap.current`) ?? 0);
    return field('anon') + (field('shmem') || 0) + (swap || 0);
  }
}
