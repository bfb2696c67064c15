import { highestIndex } from '../../base/search.ts';
import { shellJoin } from '../../base/text.ts';
import { SECOND_NS } from '../../base/time.ts';
import { oneLine, utf8Length } from '../../base/untrusted.ts';
import { encodeMaxima, halved, type Windows, windowsOf } from '../../model/job/envelope.ts';
import {
  type Envelope,
  type Measure,
  MOST_JOB_RANKS,
  MOST_SUMMARY_BYTES,
  type RankDetails,
  type RankSummary,
  type RecordingSummary,
  SUMMARY_VERSION,
  type WholeSummary,
} from '../../model/job/summary.ts';
import { wallClock } from '../../model/job/wall-clock.ts';
import { origin } from '../../model/origin.ts';
import type { Recording } from '../../model/recording.ts';
import type { Series } from '../../model/series.ts';
import { verdictSentence } from '../../model/verdict.ts';
import { holdings, TORCH } from '../ranks/holdings.ts';
import type { Report } from '../report.ts';
import { stopped } from '../stopped.ts';
import { membersOf, WITHOUT_RANK } from './members.ts';
import { type Pace, paceOf } from './pace.ts';
import { rankEnds } from './rank-ends.ts';
import { cardsOf, memorySeries, torchSeries } from './rank-series.ts';

/** Texts of a recording may be long; here they are to be recognised. */
const MOST_TEXT = 200;
const MOST_COMMAND = 600;
const MOST_PEAKS = 48;
const MOST_RANKS = 256;
const MOST_HELD = 12;
/** What several ranks of one recording hold is told more briefly. */
const MOST_HELD_OF_MANY = 4;
const FEW_RANKS = 16;
/** Less is no explanation of anything. */
const WORTH_NAMING = 1024 ** 2;

/** A rank with its envelopes still as numbers. */
interface Draft {
  readonly facts: RankSummary;
  readonly held: RankDetails['held'];
  readonly drawn: readonly (Omit<Envelope, 'startMs' | 'windowMs' | 'maxima'> & {
    readonly windows: Windows;
  })[];
}

/** What a job needs to know of one recording; `running`: it is still being written. */
export function summarize(recording: Recording, report: Report, running = false): WholeSummary {
  const { run } = recording;
  const members = membersOf(recording);
  const pace = paceOf(recording, members);
  const drafts = draftsOf(recording, report, { members, pace, running });
  const stop = stopped(recording);
  const { verdict, headline, leak } = report;
  const zero = origin(recording).ns;
  const first = members.ranks[0]!;
  const peak = ({
    series,
    bytes,
    seconds,
  }: {
    series: string;
    bytes: number;
    seconds: number;
  }) => ({
    series: short(series),
    bytes,
    seconds: Number.isFinite(seconds) ? seconds : 0,
    iteration: pace.iterationAt(first, zero + seconds * SECOND_NS),
  });
  const rate = leak.verdict === 'leak' ? leak.trend : null;
  const { labels } = run;
  const used = report.gpus.filter(({ usedByTree }) => usedByTree).length;
  const peaks = report.peaks.slice(0, MOST_PEAKS).map(peak);
  return withinSize(drafts, peaks, {
    type: 'recording-summary',
    version: SUMMARY_VERSION,
    id: short(run.id),
    name: short(run.name),
    command: oneLine(shellJoin(run.argv), MOST_COMMAND),
    node: short(run.host.name),
    launcher: labels.launcher === undefined ? null : short(labels.launcher),
    job: labels.job === undefined ? null : short(labels.job),
    worldSize: wholeOr(labels.worldSize, null),
    restart: wholeOr(labels.restart, 0)!,
    startedMs: Math.round(wallClock(recording)(zero)),
    durationSeconds: report.recording.durationSeconds,
    complete:
      !running && stop === null && (run.lostRows ?? 0) === 0 && recording.damage.length === 0,
    stopped: running || !stop ? null : short(stop.why),
    verdict: {
      code: verdict.cause.code,
      certainty: verdict.certainty,
      sentence: oneLine(verdictSentence(verdict), MOST_COMMAND),
    },
    headline: headline && peak(headline),
    leak: {
      verdict: leak.verdict,
      perIterationBytes: rate?.over === 'iterations' ? finite(rate.slope.bytes) : null,
      perHourBytes: finite(rate?.perHourBytes),
      atMostPerIterationBytes: finite(leak.bound?.bytesPerIteration),
      atMostPerHourBytes: finite(leak.bound?.bytesPerHour),
    },
    asked: run.asked ?? null,
    limitBytes: run.cgroup?.limitBytes ?? null,
    machineBytes: run.host.memoryBytes,
    cards: { seen: run.gpus.length, used },
    ranksLeftOut: Math.max(0, members.ranks.length - MOST_RANKS),
  });
}

const short = (text: string) => oneLine(text, MOST_TEXT);
const finite = (value: number | null | undefined) =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
const wholeOr = <T>(text: string | undefined, other: T) =>
  text !== undefined && /^\d{1,7}$/.test(text) ? Number(text) : other;

interface Known {
  readonly members: ReturnType<typeof membersOf>;
  readonly pace: Pace;
  readonly running: boolean;
}

function draftsOf(
  recording: Recording,
  report: Report,
  { members, pace, running }: Known,
): Draft[] {
  const { run } = recording;
  const zero = origin(recording).ns;
  const wall = wallClock(recording);
  const memory = memorySeries(recording, members);
  const torch = torchSeries(recording, members);
  const cards = cardsOf(recording, members, report.gpus);
  const held = holdings(recording, members.rankOf);
  const ends = rankEnds(recording, members, report, running);
  const limit = [run.cgroup?.limitBytes, run.asked?.memoryBytes, run.host.memoryBytes].find(
    (bytes) => typeof bytes === 'number' && bytes > 0,
  );
  const most = members.ranks.length > FEW_RANKS ? MOST_HELD_OF_MANY : MOST_HELD;
  const seconds = (ns: number) => (ns - zero) / SECOND_NS;
  return members.ranks.slice(0, MOST_RANKS).map((rank): Draft => {
    const own = memory.get(rank);
    const top = own ? highestIndex(own.values) : -1;
    const card = cards.get(rank);
    const cardTop = card ? highestIndex(card.series.values) : -1;
    const envelope = (measure: Measure, series: Series | undefined, limitBytes: number | null) => {
      const windows = series && windowsOf(series.times, series.values, wall);
      return windows ? [{ measure, limitBytes, windows }] : [];
    };
    const names = held.get(rank) ?? new Map<string, number>();
    const facts: RankSummary = {
      rank: rank === WITHOUT_RANK || rank >= MOST_JOB_RANKS ? null : rank,
      localRank: members.ranks.length === 1 ? wholeOr(run.labels.localRank, null) : null,
      processes: [...members.rankOf.values()].filter((other) => other === rank).length,
      memory:
        own && top >= 0
          ? {
              measure: own.name as 'pss' | 'rss',
              bytes: own.values[top]!,
              seconds: seconds(own.times[top]!),
              iteration: pace.iterationAt(rank, own.times[top]!),
            }
          : null,
      torchBytes: names.get(TORCH) ?? null,
      card:
        card && cardTop >= 0
          ? {
              gpu: card.gpu,
              name: short(card.name),
              bytes: card.peak?.bytes ?? card.series.values[cardTop]!,
              memoryBytes: card.memoryBytes,
              seconds: card.peak?.seconds ?? seconds(card.series.times[cardTop]!),
              iteration: pace.iterationAt(
                rank,
                card.peak ? zero + card.peak.seconds * SECOND_NS : card.series.times[cardTop]!,
              ),
            }
          : null,
      ended: ends(rank),
      iterations: pace.of(rank),
    };
    return {
      facts,
      held: [...names]
        .filter(([, bytes]) => bytes >= WORTH_NAMING)
        .sort(([, a], [, b]) => b - a)
        .slice(0, most)
        .map(([what, bytes]) => ({ what: short(what), bytes })),
      drawn: [
        ...envelope('card', card?.series, card?.memoryBytes ?? null),
        ...envelope('torch', torch.get(rank), card?.memoryBytes ?? null),
        ...envelope('memory', own, limit ?? null),
      ],
    };
  });
}

/** Whatever is recorded, a summary keeps its size: its curves become coarser, and then fewer. */
function withinSize(
  drafts: readonly Draft[],
  peaks: WholeSummary['details']['peaks'],
  rest: Omit<RecordingSummary, 'ranks'>,
): WholeSummary {
  let given = drafts;
  for (;;) {
    const ranksLeftOut = rest.ranksLeftOut + drafts.length - given.length;
    const whole: WholeSummary = {
      summary: { ...rest, ranks: given.map(({ facts }) => facts), ranksLeftOut },
      details: { peaks, ranks: given.map(encoded) },
    };
    // And two line ends, and the outer object's name of each.
    if (utf8Length(JSON.stringify(whole)) <= MOST_SUMMARY_BYTES) return whole;
    given = smaller(given);
  }
}

const encoded = ({ drawn, held }: Draft): RankDetails => ({
  held,
  envelopes: drawn.map(({ windows: { startMs, windowMs, maxima }, ...about }) => ({
    ...about,
    startMs,
    windowMs,
    maxima: encodeMaxima(maxima),
  })),
});

/** Below so few windows a curve of the least telling measure goes instead. */
const FEW_WINDOWS = 16;

function smaller(drafts: readonly Draft[]): Draft[] {
  const longest = Math.max(
    ...drafts.flatMap(({ drawn }) => drawn.map(({ windows }) => windows.maxima.length)),
    0,
  );
  const curves = Math.max(...drafts.map(({ drawn }) => drawn.length), 0);
  if (longest > FEW_WINDOWS || (curves <= 1 && longest > 1)) {
    return drafts.map((draft) => ({
      ...draft,
      drawn: draft.drawn.map((one) => ({
        ...one,
        windows: one.windows.maxima.length > 1 ? halved(one.windows) : one.windows,
      })),
    }));
  }
  if (curves > 1) return drafts.map((draft) => ({ ...draft, drawn: draft.drawn.slice(0, 1) }));
  if (drafts.some(({ held }) => held.length > 0))
    return drafts.map((one) => ({ ...one, held: [] }));
  return drafts.slice(0, Math.floor(drafts.length / 2));
}
