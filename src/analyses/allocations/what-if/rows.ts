import { EMPTY_STACK } from '../../../model/allocations/actions.ts';
import type { Recording } from '../../../model/recording.ts';
import { surveyOf } from '../evidence/survey.ts';
import { momentOf, type StepMoment } from '../moment.ts';
import { type AllocatorConf, confText } from '../replay/conf.ts';
import type { Limit } from '../replay/heap.ts';
import type { Program } from '../replay/program.ts';
import type { RecordedRun } from '../replay/recorded-run.ts';
import { replay } from '../replay/replay.ts';
import type { ReplayCurve } from '../replay/replay-curve.ts';
import type { Replayed, ReplayOptions } from '../replay/replayed.ts';
import { describeStack } from '../top-stacks.ts';
import { findSmallest, type Search, type Smallest } from './smallest.ts';

/** A pair of settings and limit to try. */
export interface Asked {
  readonly text: string;
  readonly conf: AllocatorConf;
  readonly limit: Limit | null;
  /** What was asked for: null where the limit is the recorded run's own. */
  readonly limitBytes: number | null;
}

export interface WhatIfRow {
  /** In torch's words. */
  readonly conf: string;
  /** Whether these are the settings of the recorded run. */
  readonly isRecorded: boolean;
  readonly limitBytes: number | null;
  /** Of a run that dies: until then. */
  readonly reservedPeakBytes: number;
  /** Less than the recorded run by so much; below 0: more. null: not proven, or one of the two dies. */
  readonly savingBytes: number | null;
  /** The most reserved less the most in use, as the allocator rounds it. */
  readonly fragmentationBytes: number;
  /** Segments or pages fetched from the driver, and given back. */
  readonly deviceAllocs: number;
  readonly deviceFrees: number;
  /** How often all caches were emptied because a request found no memory. */
  readonly retries: number;
  readonly outcome: 'runs' | 'dies';
  readonly diesAt: DiesAt | null;
  /** Of one that dies at a limit that is only known to lie between two: the outcome with the higher one. */
  readonly outcomeAtMost: 'runs' | 'dies' | null;
  /** With --smallest: what torch must be able to reserve so that it runs, and the retries then. */
  readonly smallest: Smallest | null;
}

/** The request that found no memory. */
export interface DiesAt {
  /** Its number in the file; -1: what was there before the trace is too much already. */
  readonly event: number;
  readonly requestedBytes: number;
  readonly moment: StepMoment;
  /** The line of the program; null without a stack. */
  readonly where: string | null;
}

/** Who replays the program, where that is not done at once. */
export interface Elsewhere {
  replay(options: ReplayOptions): Promise<Replayed>;
  smallest(search: Search): Promise<Smallest>;
}

/** Answers for one program, each replay done once. */
export class Rows {
  readonly #recording: Recording;
  readonly #program: Program;
  readonly #run: RecordedRun;
  readonly #floor: number;
  readonly #keepCurve: boolean;
  readonly #done = new Map<string, Replayed>();
  readonly #found = new Map<string, Smallest>();
  readonly #begun = new Map<string, Promise<unknown>>();

  constructor(
    recording: Recording,
    program: Program,
    run: RecordedRun,
    floor: number,
    keepCurve = false,
  ) {
    this.#recording = recording;
    this.#program = program;
    this.#run = run;
    this.#floor = floor;
    this.#keepCurve = keepCurve;
    const { conf } = run;
    this.#keep(this.#acting({ conf, limit: program.limit, start: 'placed' }), run.replayed);
  }

  row({ text, conf, limit, limitBytes }: Asked, wantsSmallest: boolean): WhatIfRow {
    const options = { conf, start: startOf(conf, this.#run) };
    const replayed = this.#replay({ ...options, limit });
    const dies = replayed.diesAt !== null;
    const proven = this.#run.exact && !dies && this.#run.replayed.diesAt === null;
    return {
      conf: text,
      isRecorded: confText(conf) === confText(this.#run.conf),
      limitBytes,
      reservedPeakBytes: replayed.reservedPeakBytes,
      savingBytes: proven ? this.#saving(replayed.reservedPeakBytes) : null,
      fragmentationBytes: replayed.reservedPeakBytes - replayed.activePeakBytes,
      deviceAllocs: replayed.deviceAllocs,
      deviceFrees: replayed.deviceFrees,
      retries: replayed.retries,
      outcome: dies ? 'dies' : 'runs',
      diesAt: dies ? this.#diesAt(replayed.diesAt) : null,
      outcomeAtMost: dies ? this.#atMost({ ...options, limit }) : null,
      smallest: wantsSmallest ? this.#smallest(options) : null,
    };
  }

  /** What would be reserved over the events; null where curves are not kept. */
  curve({ conf, limit }: Asked): ReplayCurve | null {
    return this.#replay({ conf, start: startOf(conf, this.#run), limit }).curve;
  }

  /** Takes a replay that was begun before the recorded run was reproduced. */
  takeReplayed(options: ReplayOptions, replayed: Replayed): void {
    this.#keep(options, replayed);
  }

  /** Has what a row needs replayed elsewhere, so that afterwards it is at hand. */
  async prepare(
    { conf, limit }: Asked,
    wantsSmallest: boolean,
    elsewhere: Elsewhere,
  ): Promise<void> {
    const options = { conf, start: startOf(conf, this.#run) };
    const { diesAt } = await this.#replayedBy(elsewhere, { ...options, limit });
    const higher = diesAt === null ? null : higherOf(limit);
    if (higher) await this.#replayedBy(elsewhere, { ...options, limit: higher });
    if (!wantsSmallest) return;
    const unlimited = await this.#replayedBy(elsewhere, { ...options, limit: null });
    const key = searchKey(conf, unlimited);
    if (this.#found.has(key)) return;
    const search = this.#searchOf(options, unlimited);
    const found = await this.#once(`smallest ${key}`, () => elsewhere.smallest(search));
    this.#found.set(key, found);
  }

  #smallest(options: Search['options']): Smallest {
    const unlimited = this.#replay({ ...options, limit: null });
    const key = searchKey(options.conf, unlimited);
    const search = this.#searchOf(options, unlimited);
    const found = this.#found.get(key) ?? findSmallest(this.#program, search).smallest;
    this.#found.set(key, found);
    return found;
  }

  #searchOf(options: Search['options'], { reservedPeakBytes }: Replayed): Search {
    return { options, floorBytes: this.#floor, peakBytes: reservedPeakBytes };
  }

  #atMost({ limit, ...options }: ReplayOptions): WhatIfRow['outcomeAtMost'] {
    const higher = higherOf(limit);
    if (!higher) return null;
    return this.#replay({ ...options, limit: higher }).diesAt === null ? 'runs' : 'dies';
  }

  /** What was reserved before the trace is never counted as saved: what it was needed for nobody saw. */
  #saving(reserved: number): number {
    const before = Math.min(this.#program.start.reserved, this.#run.reservedPeakBytes);
    return this.#run.reservedPeakBytes - Math.max(reserved, before);
  }

  #replay(asked: ReplayOptions): Replayed {
    const options = this.#acting(asked);
    return this.#keep(options, this.#known(options) ?? replay(this.#program, options));
  }

  async #replayedBy(elsewhere: Elsewhere, asked: ReplayOptions): Promise<Replayed> {
    const options = this.#acting(asked);
    const known = this.#known(options);
    if (known) return this.#keep(options, known);
    return this.#keep(options, await this.#once(keyOf(options), () => elsewhere.replay(options)));
  }

  /** Two may ask for the same: the second waits for what the first has begun. */
  async #once<T>(key: string, begin: () => Promise<T>): Promise<T> {
    const begun = (this.#begun.get(key) as Promise<T> | undefined) ?? begin();
    this.#begun.set(key, begun);
    try {
      return await begun;
    } finally {
      this.#begun.delete(key);
    }
  }

  #acting(asked: ReplayOptions): ReplayOptions {
    return { ...acting(asked), keepCurve: this.#keepCurve };
  }

  /** Each once; a limit of splitting that no segment reaches changes nothing, nor does one of memory that was never needed. */
  #known(options: ReplayOptions): Replayed | undefined {
    return (
      this.#done.get(keyOf(options)) ??
      this.#withoutSplitting(options) ??
      this.#withoutLimit(options)
    );
  }

  #keep(options: ReplayOptions, replayed: Replayed): Replayed {
    this.#done.set(keyOf(options), replayed);
    return replayed;
  }

  #withoutSplitting({ conf, limit }: ReplayOptions): Replayed | undefined {
    const splitting = { ...conf, maxSplitSize: Number.POSITIVE_INFINITY };
    const same = this.#done.get(keyOf({ conf: splitting, limit }));
    return same && same.largestSegmentBytes < conf.maxSplitSize ? same : undefined;
  }

  #withoutLimit({ conf, limit }: ReplayOptions): Replayed | undefined {
    if (!limit || conf.garbageCollectionThreshold > 0) return undefined;
    // Before a segment grows the process's own limit is held against a whole new one.
    if (limit.by === 'fraction' && conf.expandableSegments) return undefined;
    const same = this.#done.get(keyOf({ conf, limit: null }));
    return same && same.reservedPeakBytes <= limit.bytes ? same : undefined;
  }

  #diesAt(event: number): DiesAt {
    const { trace } = this.#program;
    if (event < 0) {
      const moment = { phase: null, step: null };
      return { event, requestedBytes: 0, moment, where: null };
    }
    const stack = trace.stacks[event]!;
    return {
      event: trace.firstEvent + event,
      requestedBytes: trace.sizes[event]!,
      moment: momentOf(surveyOf(this.#recording, trace), event),
      where: stack >= EMPTY_STACK ? null : describeStack(this.#recording, stack).where,
    };
  }
}

/** How a row is replayed, beside a run with such settings. */
export const rowOptions = ({ conf, limit }: Asked, run: Pick<RecordedRun, 'conf'>): ReplayOptions =>
  acting({ conf, limit, start: startOf(conf, run) });

/** What was there before keeps its place, unless segments would be of another kind. */
const startOf = (
  { expandableSegments }: AllocatorConf,
  run: Pick<RecordedRun, 'conf'>,
): ReplayOptions['start'] =>
  expandableSegments === run.conf.expandableSegments ? 'placed' : 'packed';

/** Garbage is collected only where the process has a limit of its own. */
function acting({ conf, limit, start }: ReplayOptions): ReplayOptions {
  const collects = limit?.by === 'fraction';
  return { conf: collects ? conf : { ...conf, garbageCollectionThreshold: 0 }, limit, start };
}

const keyOf = ({ conf, limit }: Pick<ReplayOptions, 'conf' | 'limit'>) =>
  `${confText(conf)} ${limit?.by} ${limit?.bytes}`;

/**
 * Settings under which the same is found. A limit of splitting that no segment reaches changes nothing under a limit of memory
 * either: what is then fetched besides is for requests that fitted into those segments.
 */
const searchKey = (conf: AllocatorConf, { largestSegmentBytes }: Replayed) =>
  confText(
    largestSegmentBytes < conf.maxSplitSize
      ? { ...conf, maxSplitSize: Number.POSITIVE_INFINITY }
      : conf,
  );

/** The higher one, of a limit that is only known to lie between two. */
const higherOf = (limit: Limit | null): Limit | null =>
  limit?.upTo === undefined ? null : { bytes: limit.upTo, by: limit.by };
