import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { describeError } from '../base/errors.ts';
import type { Sample } from '../metrics/samples.ts';
import type { Labels } from '../metrics/window/gauges.ts';
import { askedFor } from '../record/workload/asked-for.ts';
import { readText } from '../sources/proc.ts';
import type { GroupLocation, Machine } from '../sources/source.ts';
import { type CardNow, groupOf } from './cards.ts';
import { type JobOwner, jobOwner } from './consent.ts';
import { jobGroups } from './groups.ts';
import { type EndedJob, forgetOld, noteEnded } from './job-log.ts';
import { JobMeter } from './job-meter.ts';
import type { JobRule } from './job-names.ts';
import { LastSeconds } from './last-seconds.ts';

export interface WatchOptions {
  readonly machine: Machine;
  readonly root: GroupLocation;
  readonly rules: readonly JobRule[];
  /** Peaks are the largest of so many seconds. */
  readonly windowSeconds: number;
  /** How long a job that ended is still told. */
  readonly keepSeconds: number;
  readonly mostJobs: number;
  /** While this file is there, nothing is read and nothing told. */
  readonly offFile: string;
  /** Where jobs that ended are noted, and for how many days. */
  readonly log: { readonly folder: string; readonly days: number } | null;
  readonly cards: { sample(): CardNow[] } | null;
  /** A sentence for whoever runs it; each is said once. */
  readonly say: (text: string) => void;
}

/** Looking for groups may cost one part in so many of a processor. */
const WALK_SHARE = 100;
const HOUR_MS = 3_600_000;

interface Job {
  readonly meter: JobMeter;
  /** Null: no process of it was seen yet. */
  owner: JobOwner | null;
  /** By the card's index. */
  readonly cards: Map<string, OnCard>;
}

/** What a job has of a card. */
interface OnCard {
  readonly uuid: string;
  now: number;
  peak: number;
  readonly seconds: LastSeconds;
}

/** All jobs of this machine, looked at once a second. */
export class NodeWatch {
  readonly #options: WatchOptions;
  readonly #host = hostname();
  /** By the group's path: those that live, and those that ended a moment ago. */
  readonly #jobs = new Map<string, Job>();
  readonly #said = new Set<string>();
  readonly #hostUsed: LastSeconds;
  #memory = { total: Number.NaN, used: Number.NaN };
  #cards: readonly CardNow[] = [];
  #walkAfterMs = 0;
  #walks = 0;
  #ticks = 0;
  #forgetAfterMs = 0;
  #isOff = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#hostUsed = new LastSeconds(options.windowSeconds);
  }

  tick(nowMs: number): void {
    this.#isOff = existsSync(this.#options.offFile);
    if (this.#isOff) {
      for (const { meter } of this.#jobs.values()) if (meter.endedMs === null) meter.end(nowMs);
      this.#jobs.clear();
      this.#cards = [];
      this.#walks = 0;
      return;
    }
    this.#ticks++;
    this.#memory = hostMemory(this.#options.machine);
    this.#hostUsed.add(this.#memory.used);
    this.#find(nowMs);
    for (const [path, job] of this.#jobs) this.#sample(path, job, nowMs);
    this.#readCards();
    this.#forget(nowMs);
  }

  #find(nowMs: number): void {
    const began = performance.now();
    if (began < this.#walkAfterMs) return;
    const { root, rules, mostJobs, machine, windowSeconds } = this.#options;
    const { groups, isCut } = jobGroups(root, rules);
    if (isCut) this.#sayOnce('more control groups than are looked at: some jobs are not told');
    for (const group of groups) {
      const known = this.#jobs.get(group.path);
      if (known && known.meter.endedMs === null) continue;
      if (this.#jobs.size >= mostJobs) {
        this.#sayOnce(`more than ${mostJobs} jobs: the rest is not told (--max-jobs)`);
        break;
      }
      const meter = new JobMeter(machine, group, windowSeconds, nowMs, this.#walks > 0);
      this.#jobs.set(group.path, { meter, owner: null, cards: new Map() });
    }
    this.#walks++;
    this.#walkAfterMs = began + (performance.now() - began) * WALK_SHARE;
  }

  #sample(path: string, job: Job, nowMs: number): void {
    const { meter } = job;
    if (meter.endedMs !== null) {
      if (nowMs - meter.endedMs > this.#options.keepSeconds * 1000) this.#jobs.delete(path);
      return;
    }
    if (!meter.sample()) {
      meter.end(nowMs);
      this.#note(job, nowMs);
      return;
    }
    // Processes come a moment after their group; who they are does not change.
    job.owner ??= jobOwner(this.#options.machine, meter.group);
  }

  #readCards(): void {
    const { cards, machine, windowSeconds } = this.#options;
    if (!cards) return;
    this.#cards = cards.sample();
    const all = [...this.#jobs.values()].flatMap((job) => [...job.cards.values()]);
    for (const onCard of all) onCard.now = 0;
    for (const { card, uuid, processes } of this.#cards) {
      for (const [pid, bytes] of processes) {
        const job = Number.isNaN(bytes) ? null : this.#jobOf(groupOf(machine, pid));
        if (!job) continue;
        let onCard = job.cards.get(card);
        if (!onCard) {
          onCard = { uuid, now: 0, peak: 0, seconds: new LastSeconds(windowSeconds) };
          job.cards.set(card, onCard);
          all.push(onCard);
        }
        onCard.now += bytes;
      }
    }
    for (const onCard of all) {
      onCard.peak = Math.max(onCard.peak, onCard.now);
      onCard.seconds.add(onCard.now);
    }
  }

  /** The job that a group is, or is below. */
  #jobOf(path: string | null): Job | undefined {
    for (let at = path ?? ''; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
      const job = this.#jobs.get(at);
      if (job) return job;
    }
    return undefined;
  }

  #note({ meter, owner, cards }: Job, nowMs: number): void {
    const { log } = this.#options;
    if (!log || owner?.isOut || Number.isNaN(meter.now.current)) return;
    const { job, manager, user } = meter.group;
    const ended: EndedJob = {
      job,
      manager,
      user: user ?? owner?.user ?? null,
      host: this.#host,
      seen: new Date(meter.seenMs).toISOString(),
      ended: new Date(nowMs).toISOString(),
      peakBytes: known(meter.peak),
      heldPeakBytes: known(meter.heldPeak),
      limitBytes: meter.limit,
      requestedBytes: askedFor(owner?.environment ?? {})?.memoryBytes ?? null,
      oomKills: meter.kills,
      cards: Object.fromEntries([...cards].map(([card, { peak }]) => [card, peak])),
    };
    try {
      noteEnded(log.folder, ended, nowMs);
    } catch (error) {
      this.#sayOnce(`jobs that ended cannot be noted in ${log.folder}: ${describeError(error)}`);
    }
  }

  #forget(nowMs: number): void {
    const { log } = this.#options;
    if (!log || nowMs < this.#forgetAfterMs) return;
    this.#forgetAfterMs = nowMs + HOUR_MS;
    forgetOld(log.folder, log.days, nowMs);
  }

  #sayOnce(text: string): void {
    if (this.#said.has(text)) return;
    this.#said.add(text);
    this.#options.say(text);
  }

  /** What is known at this moment, of the machine, its cards and its jobs. */
  samples(timeMs: number): Sample[] {
    if (this.#isOff) return [];
    const samples: Sample[] = [];
    const add = (
      labels: Labels,
      metric: Sample['metric'],
      value: number | null,
      isPeak = false,
    ) => {
      if (value === null || Number.isNaN(value)) return;
      samples.push({ metric, isPeak, labels, value, timeMs });
    };
    const machine = { host: this.#host };
    add(machine, 'hostUsed', this.#memory.used);
    add(machine, 'hostUsed', this.#hostUsed.largest, true);
    add(machine, 'hostTotal', this.#memory.total);
    add(machine, 'samples', this.#ticks);
    for (const { card, uuid, used: onCard, total: ofCard } of this.#cards) {
      add({ ...machine, card, uuid }, 'gpuUsed', onCard);
      add({ ...machine, card, uuid }, 'gpuTotal', ofCard);
    }
    for (const { meter, owner, cards } of this.#jobs.values()) {
      if (!owner || owner.isOut) continue;
      const { job, manager, user } = meter.group;
      const number = user ?? owner.user;
      const labels = { ...machine, job, manager, ...(number !== null && { user: String(number) }) };
      const lives = meter.endedMs === null;
      if (lives) {
        add(labels, 'groupCurrent', meter.now.current);
        add(labels, 'treeHeld', meter.now.held);
      }
      add(labels, 'groupCurrent', meter.windowPeak, true);
      add(labels, 'treeHeld', meter.windowHeldPeak, true);
      add(labels, 'groupPeak', meter.peak);
      add(labels, 'groupLimit', meter.limit);
      add(labels, 'groupKills', meter.kills);
      add(labels, 'requested', askedFor(owner.environment)?.memoryBytes ?? null);
      for (const [card, { now, seconds, uuid }] of cards) {
        if (lives) add({ ...labels, card, uuid }, 'gpuTree', now);
        add({ ...labels, card, uuid }, 'gpuTree', seconds.largest, true);
      }
    }
    return samples;
  }
}

const known = (value: number) => (Number.isNaN(value) ? null : value);

function hostMemory({ proc }: Machine): { total: number; used: number } {
  const text = readText(`${proc}/meminfo`) ?? '';
  const field = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? Number.NaN) * 1024;
  const total = field('MemTotal');
  return { total, used: total - field('MemAvailable') };
}
