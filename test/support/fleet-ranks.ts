import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeSummary } from '../../src/model/disk/summary-file.ts';
import { decodeMaxima, encodeMaxima } from '../../src/model/job/envelope.ts';
import {
  type Envelope,
  type Measure,
  MOST_WINDOWS,
  type RankSummary,
  type RecordingSummary,
  type WholeSummary,
} from '../../src/model/job/summary.ts';
import { Random } from './random.ts';

const GiB = 1024 ** 3;

/** A job that is made up from the summary of a real recording: the same figures, varied by a seed. */
export interface FleetOptions {
  readonly ranks: number;
  readonly seed?: number;
  readonly ranksPerNode?: number;
  readonly job?: string;
  readonly cardBytes?: number;
  readonly hours?: number;
  /** Hold a third more than the others, from the middle of the job on. */
  readonly outliers?: readonly number[];
  /** Killed for memory three quarters into the job; all others are ended a few seconds later. */
  readonly dies?: number;
  /** Take half as long again for an iteration. */
  readonly stragglers?: readonly number[];
  readonly leaks?: readonly number[];
  readonly missing?: readonly number[];
  /** Their recording stops in the middle. */
  readonly cut?: readonly number[];
}

const START_MS = Date.UTC(2026, 0, 2, 3, 4, 5);

/** The summaries of its ranks, one after the other: none is kept. */
export function* fleetRanks(base: WholeSummary, options: FleetOptions): Generator<WholeSummary> {
  const { ranks, seed = 1, missing = [] } = options;
  const random = new Random(seed);
  const absent = new Set(missing);
  for (let rank = 0; rank < ranks; rank++) {
    const made = oneRank(base, rank, options, random);
    if (!absent.has(rank)) yield made;
  }
}

/** The same as recordings that have nothing but their summary; returns their folders. */
export function writeFleet(folder: string, base: WholeSummary, options: FleetOptions): string[] {
  const folders: string[] = [];
  for (const made of fleetRanks(base, options)) {
    const { summary } = made;
    const rank = String(summary.ranks[0]!.rank).padStart(5, '0');
    const own = join(folder, `${rank}-${summary.node}.hw`);
    mkdirSync(own, { recursive: true });
    writeSummary(own, made);
    folders.push(own);
  }
  return folders;
}

function oneRank(
  base: WholeSummary,
  rank: number,
  options: FleetOptions,
  random: Random,
): WholeSummary {
  const { ranks, ranksPerNode = 8, job = 'fleet-1', cardBytes = 80 * GiB, hours = 2 } = options;
  const is = (some: readonly number[] = []) => some.includes(rank);
  const node = Math.floor(rank / ranksPerNode);
  const startMs = START_MS + Math.round(random.between(0, 2000));
  const plannedMs = hours * 3600 * 1000;
  const killed = options.dies === rank;
  const lastsMs =
    options.dies === undefined
      ? plannedMs + random.between(0, 1000)
      : plannedMs * 0.75 + (killed ? 0 : 4000 + random.between(0, 3000));
  const isCut = is(options.cut);
  const endMs = startMs + Math.round(isCut ? plannedMs / 2 : lastsMs);
  const levelOf = (measure: Measure) =>
    ({ card: 0.62 * cardBytes, torch: 0.55 * cardBytes, memory: 20 * GiB })[measure] *
    (1 + 0.01 * random.normal());
  const more = is(options.outliers) ? 1.33 : 1;
  const shape = shapeOf(base);
  const peaks = {} as Record<Measure, number>;
  const envelopes = (['card', 'torch', 'memory'] as const).map((measure): Envelope => {
    const level = levelOf(measure);
    const windowMs = 2 ** Math.ceil(Math.log2((endMs - startMs) / (MOST_WINDOWS - 1)));
    const first = Math.floor(startMs / windowMs);
    const count = Math.floor(endMs / windowMs) - first + 1;
    const maxima = Float64Array.from({ length: count }, (_, i) => {
      const share = i / Math.max(1, count - 1);
      const grown = is(options.leaks) ? 1 + 0.3 * share : 1;
      const now = share > 0.5 ? more : 1;
      const top = killed && i === count - 1 && measure === 'card' ? cardBytes / level : 1;
      const wave = shape[Math.floor(share * (shape.length - 1))]!;
      return Math.round(
        level * Math.min(1.6, wave * grown * now * top) * (1 + 0.004 * random.uniform()),
      );
    });
    if (killed && measure === 'card') maxima[count - 1] = cardBytes;
    peaks[measure] = maxima.reduce((a, b) => Math.max(a, b), 0);
    const limitBytes = measure === 'memory' ? 256 * GiB : cardBytes;
    return {
      measure,
      limitBytes,
      startMs: first * windowMs,
      windowMs,
      maxima: encodeMaxima(maxima),
    };
  });
  const pace = 0.5 * (is(options.stragglers) ? 1.5 : 1) * (1 + 0.005 * random.normal());
  const seconds = (endMs - startMs) / 2000;
  const ended: RankSummary['ended'] = isCut
    ? { how: 'cut-off', atMs: endMs, code: null, signal: null, outOfMemory: null }
    : killed
      ? { how: 'killed', atMs: endMs, code: null, signal: 'SIGKILL', outOfMemory: true }
      : options.dies === undefined
        ? { how: 'well', atMs: endMs, code: 0, signal: null, outOfMemory: false }
        : { how: 'killed', atMs: endMs, code: null, signal: 'SIGTERM', outOfMemory: false };
  const named = [
    { what: 'torch allocated', bytes: peaks.torch },
    { what: 'tensors (parameter) [4096, 4096] bfloat16', bytes: Math.round(0.2 * cardBytes) },
    { what: 'memory that malloc handed out', bytes: Math.round(0.8 * peaks.memory) },
    ...(more > 1
      ? [{ what: 'tensors [64, 1048576] float32, held by list in cache', bytes: peaks.torch / 4 }]
      : []),
  ].map(({ what, bytes }) => ({ what, bytes: Math.round(bytes) }));
  const summary: RecordingSummary = {
    ...base.summary,
    id: `${job}-${rank}`,
    node: `node${String(node).padStart(4, '0')}`,
    launcher: 'torchrun',
    job,
    worldSize: ranks,
    restart: 0,
    startedMs: startMs,
    durationSeconds: (endMs - startMs) / 1000,
    complete: !isCut,
    stopped: isCut ? 'the recorder was killed or the machine went down' : null,
    verdict: killed
      ? {
          code: 'too-large',
          certainty: 'certain',
          sentence: 'GPU 0 ran out of memory: more was asked for than could have been made free.',
        }
      : is(options.leaks)
        ? { code: 'leak', certainty: 'likely', sentence: 'Leak: it grows while it runs.' }
        : base.summary.verdict,
    leak: is(options.leaks)
      ? { ...base.summary.leak, verdict: 'leak', perHourBytes: 3 * GiB, perIterationBytes: 400_000 }
      : { ...base.summary.leak, verdict: 'bounded' },
    asked: {
      by: 'slurm',
      job: '4711',
      memoryBytes: 1024 * GiB,
      memoryFrom: 'SLURM_MEM_PER_NODE',
      gpus: ranksPerNode,
    },
    machineBytes: 2048 * GiB,
    cards: { seen: ranksPerNode, used: 1 },
    ranks: [
      {
        rank,
        localRank: rank % ranksPerNode,
        processes: 3,
        memory: { measure: 'pss', bytes: peaks.memory, seconds, iteration: 100 },
        torchBytes: peaks.torch,
        card: {
          gpu: rank % ranksPerNode,
          name: 'NVIDIA H100 80GB HBM3',
          bytes: peaks.card,
          memoryBytes: cardBytes,
          seconds,
          iteration: 100,
        },
        ended,
        iterations: { count: Math.floor((endMs - startMs) / 1000 / pace), medianSeconds: pace },
      },
    ],
    ranksLeftOut: 0,
  };
  return { summary, details: { ...base.details, ranks: [{ held: named, envelopes }] } };
}

const known = new WeakMap<WholeSummary, number[]>();

/** How the real recording rose and fell, as shares of its peak. */
function shapeOf(base: WholeSummary): number[] {
  let shape = known.get(base);
  if (!shape) {
    const [envelope] = base.details.ranks[0]!.envelopes;
    const maxima = envelope ? [...decodeMaxima(envelope)].filter((one) => one >= 0) : [];
    const top = Math.max(...maxima, 1);
    shape = maxima.length === 0 ? [1] : maxima.map((one) => one / top);
    known.set(base, shape);
  }
  return shape;
}
