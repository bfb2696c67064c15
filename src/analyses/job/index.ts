import { Distribution } from '../../base/distribution.ts';
import { UserError } from '../../base/errors.ts';
import { count } from '../../base/text.ts';
import { Top } from '../../base/top.ts';
import { oneLine } from '../../base/untrusted.ts';
import {
  MEASURES,
  type Measure,
  MOST_JOB_RANKS,
  type RankDetails,
  type RankEnd,
  type RecordingSummary,
  type SummaryDetails,
} from '../../model/job/summary.ts';
import type { Verdict } from '../../model/verdict.ts';
import { jobVerdict } from '../verdict/job.ts';
import { AskedFold } from './asked.ts';
import { firstDeath } from './first-death.ts';
import type { JobFacts, JobLeak, JobPeaks, JobRank, SomeRanks } from './job-facts.ts';
import { died, type Member, peakBytes } from './member.ts';
import { jobOutliers } from './outliers.ts';
import { Sample } from './sample.ts';
import { jobSkew } from './skew.ts';
import { jobPace, paceSeconds } from './stragglers.ts';

export type { JobFacts } from './job-facts.ts';

/** The answer about a job. Its JSON is a contract: keys are added, never renamed. */
export interface Job extends JobFacts {
  readonly verdict: Verdict;
}

const MOST_NAMED = 20;
const MOST_SHOWN = 16;
const MOST_ENDS = 32;
const MOST_DEATHS = 64;
/** Ranks whose curves are held against each other. */
const MOST_DRAWN = 256;
const MOST_CODES = 100;

/** Ranks seen so far, a bit each. */
class RankSet {
  readonly #bits: Uint8Array;
  count = 0;

  constructor(size: number) {
    this.#bits = new Uint8Array(Math.ceil(size / 8));
  }

  has(rank: number): boolean {
    return ((this.#bits[rank >> 3] ?? 0) & (1 << (rank & 7))) !== 0;
  }

  add(rank: number): void {
    if (!this.has(rank)) this.count++;
    this.#bits[rank >> 3]! |= 1 << (rank & 7);
  }
}

/** The first few ranks of a kind, and how many there are. */
class Some {
  count = 0;
  readonly first: number[] = [];

  add(rank: number | null): void {
    this.count++;
    if (rank !== null && this.first.length < MOST_NAMED) this.first.push(rank);
  }

  get told(): SomeRanks {
    return { count: this.count, first: this.first.toSorted((a, b) => a - b) };
  }
}

/** One attempt of a job, summary by summary: what is kept does not grow with the number of ranks. */
class Attempt {
  readonly first: RecordingSummary;
  readonly #seen = new RankSet(MOST_JOB_RANKS);
  readonly #sizes = new Set<number>();
  readonly #cut = new Some();
  readonly #twice = new Some();
  readonly #endings = new Map<RankEnd, number>();
  readonly #verdicts = new Map<string, number>();
  readonly #asked = new AskedFold();
  readonly #peaks = new Map(
    MEASURES.map((measure) => [
      measure,
      {
        all: new Distribution(),
        high: new Top<Member>(MOST_ENDS, (one) => peakBytes(one, measure)!),
        low: new Top<Member>(MOST_ENDS, (one) => -peakBytes(one, measure)!),
      },
    ]),
  );
  readonly #pace = new Distribution();
  readonly #slowest = new Top<Member>(MOST_ENDS, paceSeconds);
  readonly #iterations = { fewest: Number.POSITIVE_INFINITY, most: 0 };
  readonly #deaths = new Top<Member>(MOST_DEATHS, ({ summary }) => -summary.ended.atMs!);
  readonly #drawn = new Sample<Member>(MOST_DRAWN);
  readonly #leaks: JobLeak[] = [];
  readonly #sizesOf = new Set<'pss' | 'rss'>();
  #leakCount = 0;
  #outOfMemory = 0;
  #withoutRank = 0;
  #count = 0;
  #leftOut = 0;
  #startedMs = Number.POSITIVE_INFINITY;
  #endedMs = Number.NEGATIVE_INFINITY;
  recordings = 0;

  constructor(first: RecordingSummary) {
    this.first = first;
  }

  add(recording: RecordingSummary, details: () => SummaryDetails): void {
    const { ranks, worldSize, startedMs, leak, verdict, node } = recording;
    const fresh = ranks.filter(({ rank }) => rank === null || !this.#seen.has(rank));
    for (const { rank } of ranks) if (rank !== null && this.#seen.has(rank)) this.#twice.add(rank);
    if (fresh.length === 0 && ranks.length > 0) return;
    this.recordings++;
    this.#leftOut += recording.ranksLeftOut;
    if (worldSize !== null) this.#sizes.add(worldSize);
    this.#startedMs = Math.min(this.#startedMs, startedMs);
    this.#asked.add(recording);
    if (this.#verdicts.has(verdict.code) || this.#verdicts.size < MOST_CODES)
      this.#verdicts.set(verdict.code, (this.#verdicts.get(verdict.code) ?? 0) + 1);
    for (const summary of fresh) {
      const own = () => details().ranks[ranks.indexOf(summary)] ?? NO_DETAILS;
      this.#addMember({ rank: summary.rank, node, summary, recording, details: own });
    }
    if (leak.verdict !== 'leak') return;
    this.#leakCount++;
    if (this.#leaks.length === MOST_NAMED) return;
    const { perHourBytes, perIterationBytes } = leak;
    const rank = ranks.length === 1 ? ranks[0]!.rank : null;
    this.#leaks.push({ rank, node, perHourBytes, perIterationBytes, sentence: verdict.sentence });
  }

  #addMember(member: Member): void {
    const { rank, summary, recording } = member;
    const { ended, iterations, memory } = summary;
    this.#count++;
    if (rank === null) this.#withoutRank++;
    else this.#seen.add(rank);
    if (memory) this.#sizesOf.add(memory.measure);
    this.#endings.set(ended.how, (this.#endings.get(ended.how) ?? 0) + 1);
    if (ended.outOfMemory) this.#outOfMemory++;
    if (recording.stopped !== null) this.#cut.add(rank);
    if (ended.atMs !== null) this.#endedMs = Math.max(this.#endedMs, ended.atMs);
    for (const [measure, { all, high, low }] of this.#peaks) {
      const bytes = peakBytes(member, measure);
      if (bytes === null) continue;
      all.add(bytes);
      high.add(member);
      low.add(member);
    }
    if (iterations) {
      this.#iterations.fewest = Math.min(this.#iterations.fewest, iterations.count);
      this.#iterations.most = Math.max(this.#iterations.most, iterations.count);
      if (iterations.medianSeconds !== null) {
        this.#pace.add(iterations.medianSeconds);
        this.#slowest.add(member);
      }
    }
    if (died(member) && ended.atMs !== null) this.#deaths.add(member);
    this.#drawn.add(member);
  }

  facts(recordings: JobFacts['recordings']): JobFacts {
    const { first } = this;
    const running = this.#endings.get('running') ?? 0;
    const highest = this.#peaks.get(mainMeasure(this.#peaks))!.high.all;
    const drawn = [...new Set([...this.#drawn.all, ...highest])].map(withDetails);
    const startedMs = Math.min(this.#startedMs, 8.64e15);
    const endedMs = Number.isFinite(this.#endedMs) ? this.#endedMs : startedMs;
    const world = this.#worldSize();
    const byMeasure = new Map(
      [...this.#peaks].map(([measure, { all, high, low }]) => {
        const ends = [...new Set([...high.all, ...low.all])];
        return [measure, { all, ends }] as const;
      }),
    );
    return {
      type: 'job',
      schemaVersion: 1,
      job: {
        id: first.job,
        batchJob: first.asked?.job ?? null,
        name: first.name,
        command: first.command,
        launcher: first.launcher,
        startedAt: new Date(startedMs).toISOString(),
        endedAt: running > 0 ? null : new Date(Math.max(startedMs, endedMs)).toISOString(),
        durationSeconds: Math.max(0, endedMs - startedMs) / 1000,
        restart: first.restart,
      },
      recordings,
      nodes: this.#asked.nodes,
      ranks: {
        count: this.#count,
        worldSize: world,
        missing: this.#missing(world),
        cut: this.#cut.told,
        running,
        withoutRank: this.#withoutRank,
        twice: this.#twice.told,
        endings: Object.fromEntries(this.#endings),
        outOfMemory: this.#outOfMemory,
      },
      firstDeath: firstDeath(this.#deaths.all, startedMs),
      peaks: this.#allPeaks(),
      outliers: jobOutliers(byMeasure, drawn).slice(0, MOST_NAMED),
      leaks: { count: this.#leakCount, first: this.#leaks },
      pace: jobPace(this.#pace, this.#iterations, this.#slowest.all),
      skew: jobSkew(drawn, startedMs),
      asked: this.#asked.result,
      top: highest.slice(0, MOST_SHOWN).map(shown),
      verdicts: Object.fromEntries(this.#verdicts),
      warnings: this.#warnings(recordings),
    };
  }

  /** Where ranks were told different numbers, none is believed. */
  #worldSize(): number | null {
    return this.#sizes.size === 1 ? [...this.#sizes][0]! : null;
  }

  #missing(world: number | null): SomeRanks {
    const some = new Some();
    for (let rank = 0; rank < (world ?? 0); rank++) if (!this.#seen.has(rank)) some.add(rank);
    return some.told;
  }

  #allPeaks(): JobPeaks[] {
    const of = this.#sizesOf.size > 1 ? 'mixed' : ([...this.#sizesOf][0] ?? null);
    return [...this.#peaks].flatMap(([measure, { all, high }]) => {
      const [top] = high.all;
      if (!top) return [];
      return [
        {
          measure,
          of: measure === 'memory' ? of : null,
          ranks: all.count,
          minBytes: all.min,
          medianBytes: all.median,
          p90Bytes: all.quantile(0.9),
          p99Bytes: all.quantile(0.99),
          maxBytes: all.max,
          maxRank: top.rank,
          maxNode: top.node,
          sumBytes: all.sum,
          exact: all.exact,
        },
      ];
    });
  }

  #warnings({ unreadable, leftOut, made }: JobFacts['recordings']): string[] {
    const { count: twice, first } = this.#twice.told;
    const found: string[] = [];
    if (this.#sizes.size > 1) {
      const sizes = [...this.#sizes].sort((a, b) => a - b).slice(0, 5);
      found.push(`ranks were told different numbers of ranks: ${sizes.join(', ')}`);
    }
    if (twice > 0) {
      found.push(
        `${count(twice, 'rank is', 'ranks are')} there more than once (${named(first)}): the recording that comes first by name counts`,
      );
    }
    if (leftOut > 0) {
      const before = `${count(leftOut, 'recording')} before that left out`;
      found.push(`the job began anew ${count(this.first.restart, 'time')}: ${before}`);
    }
    if (unreadable.count > 0)
      found.push(`${count(unreadable.count, 'recording')} cannot be read: ${unreadable.first[0]}`);
    if (made > 0 && made > this.recordings / 2 && made > MOST_NAMED)
      found.push(
        `${made} recordings had no summary: it was made from their tables, which takes time`,
      );
    if (this.#leftOut > 0)
      found.push(`${count(this.#leftOut, 'rank')} of recordings with very many left out`);
    if (this.#asked.nodes > 1)
      found.push('several machines: their clocks are taken to agree where times are compared');
    return found;
  }
}

const NO_DETAILS: RankDetails = { held: [], envelopes: [] };

/** Read once. */
function withDetails(member: Member): Member {
  const details = member.details();
  return { ...member, details: () => details };
}

const named = (ranks: readonly number[]) =>
  `rank ${ranks.slice(0, 5).join(', ')}${ranks.length > 5 ? ' …' : ''}`;

/** The scarcest that any rank was measured by. */
const mainMeasure = (peaks: ReadonlyMap<Measure, { readonly all: Distribution }>): Measure =>
  MEASURES.find((measure) => peaks.get(measure)!.all.count > 0) ?? 'memory';

function shown({ rank, node, summary }: Member): JobRank {
  const { memory, torchBytes, card, ended, iterations } = summary;
  const at = card ?? memory;
  return {
    rank,
    node,
    memoryBytes: memory?.bytes ?? null,
    torchBytes,
    cardBytes: card?.bytes ?? null,
    cardMemoryBytes: card?.memoryBytes ?? null,
    peakSeconds: at?.seconds ?? Number.NaN,
    peakIteration: at?.iteration ?? null,
    ended: ended.how,
    iterations: iterations?.count ?? null,
  };
}

/** What tells one job from another: the launcher's id or the batch system's; without, the command and its number of ranks. */
export function jobKey({ job, asked, command, worldSize }: RecordingSummary): string {
  if (job !== null) return job;
  return asked ? asked.job : `${command} of ${worldSize ?? '?'} ranks, without an id`;
}

/** Whether a recording belongs to the job that a user names: by the launcher's id, the batch system's, or that of all its steps. */
export const isOfJob = ({ job, asked }: RecordingSummary, id: string): boolean =>
  job === id || asked?.job === id || (job?.startsWith(`${id}.`) ?? false);

/** Jobs whose names are kept for a message. */
const MOST_JOBS = 1000;

/** The answer about one job, summary by summary, in any order. */
export class JobFold {
  readonly #jobs = new Map<string, number>();
  #attempt: Attempt | null = null;
  #leftOut = 0;
  #made = 0;
  #unreadable = 0;
  readonly #reasons: string[] = [];

  /** `details`: the rest of it, where a closer look is worth it. */
  add(summary: RecordingSummary, details: () => SummaryDetails, made: boolean): void {
    const key = jobKey(summary);
    if (this.#jobs.has(key) || this.#jobs.size < MOST_JOBS)
      this.#jobs.set(key, (this.#jobs.get(key) ?? 0) + 1);
    if (made) this.#made++;
    if (this.#attempt && summary.restart < this.#attempt.first.restart) {
      this.#leftOut++;
      return;
    }
    if (!this.#attempt || summary.restart > this.#attempt.first.restart) {
      this.#leftOut += this.#attempt?.recordings ?? 0;
      this.#attempt = new Attempt(summary);
    }
    this.#attempt.add(summary, details);
  }

  unreadable(reason: string): void {
    this.#unreadable++;
    if (this.#reasons.length < MOST_NAMED) this.#reasons.push(oneLine(reason, 300));
  }

  /** Throws UserError where what was added is no job, or several. */
  result(place: string): Job {
    if (!this.#attempt) {
      const why = this.#reasons[0];
      throw new UserError(`no recording of a job in ${place}${why ? `: ${why}` : ''}`, {
        hint: 'make some: srun highwater record -o FOLDER -- python train.py',
      });
    }
    if (this.#jobs.size > 1) {
      const [...all] = this.#jobs;
      const some = all.slice(0, 5).map(([id, ranks]) => `${oneLine(id, 60)} (${ranks})`);
      const more = all.length > some.length ? ' …' : '';
      throw new UserError(
        `${place} holds recordings of ${all.length} jobs: ${some.join(', ')}${more}`,
        {
          hint: 'name one: highwater job ID FOLDER, or give its own folder',
        },
      );
    }
    const facts = this.#attempt.facts({
      read: this.#attempt.recordings,
      made: this.#made,
      leftOut: this.#leftOut,
      unreadable: { count: this.#unreadable, first: this.#reasons },
    });
    if (facts.ranks.twice.count > 0 && facts.job.id === null && facts.job.batchJob === null) {
      const rank = facts.ranks.twice.first[0];
      throw new UserError(
        `${place} is not one job: rank ${rank} is there more than once, and no job id is known`,
        {
          hint: 'put the recordings of each run into a folder of its own',
        },
      );
    }
    const { type, schemaVersion, ...rest } = facts;
    return { type, schemaVersion, verdict: jobVerdict(facts), ...rest };
  }
}
