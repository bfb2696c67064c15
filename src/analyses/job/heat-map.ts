import { decodeMaxima } from '../../model/job/envelope.ts';
import {
  MEASURES,
  type Measure,
  RANK_ENDS,
  type RecordingSummary,
  type SummaryDetails,
} from '../../model/job/summary.ts';
import type { Job } from './index.ts';
import { binned } from './skew.ts';

/** The ranks of a job by time, as a page gets them; a row each rank, in the order of ranks. */
export interface HeatMap {
  readonly type: 'heat-map';
  readonly job: Job;
  readonly measure: Measure;
  readonly rows: number;
  readonly bins: number;
  /** The first bin's start, from the job's start, and how long one is. */
  readonly startSeconds: number;
  readonly binSeconds: number;
  /** Names of machines, by the numbers in the column `node`. */
  readonly nodes: readonly string[];
}

export interface HeatMapColumns {
  readonly header: HeatMap;
  /** 4294967295: none. */
  readonly rank: Uint32Array;
  readonly node: Uint32Array;
  /** Its exact peak, and what it could have been; NaN: not known. */
  readonly peak: Float64Array;
  readonly limit: Float64Array;
  /** A number of `RANK_ENDS`. */
  readonly ended: Uint8Array;
  /** The most of each bin, row after row; NaN: nothing was measured. */
  readonly cells: Float32Array;
}

interface Row {
  readonly restart: number;
  readonly rank: number | null;
  readonly node: number;
  readonly peak: number;
  readonly limit: number;
  readonly ended: number;
  readonly startMs: number;
  readonly windowMs: number;
  readonly maxima: Float32Array;
}

/** Of very many ranks, coarser in time: a picture has so many columns at most. */
const MOST_BINS = 256;
const BINS_OF_MANY = 128;
const MANY = 2048;

/** All ranks of a job side by side. Unlike the job's answer it has to keep a row of each. */
export class HeatMapFold {
  readonly #rows = new Map<Measure, Row[]>(MEASURES.map((measure) => [measure, []]));
  readonly #nodes = new Map<string, number>();

  add({ node, ranks, restart }: RecordingSummary, details: () => SummaryDetails): void {
    const number = this.#nodes.get(node) ?? this.#nodes.size;
    this.#nodes.set(node, number);
    const rest = details();
    for (const [i, { rank, card, torchBytes, memory, ended }] of ranks.entries()) {
      const [envelope] = rest.ranks[i]?.envelopes ?? [];
      if (!envelope) continue;
      const { measure, limitBytes, startMs, windowMs } = envelope;
      const peak = { card: card?.bytes, torch: torchBytes, memory: memory?.bytes }[measure];
      this.#rows.get(measure)!.push({
        restart,
        rank,
        node: number,
        peak: peak ?? Number.NaN,
        limit: limitBytes ?? Number.NaN,
        ended: RANK_ENDS.indexOf(ended.how),
        startMs,
        windowMs,
        maxima: Float32Array.from(decodeMaxima(envelope)),
      });
    }
  }

  result(job: Job): HeatMapColumns {
    // By what most of them were measured.
    const [measure, found] = [...this.#rows].reduce((a, b) => (b[1].length > a[1].length ? b : a));
    const order = ({ rank }: Row) => rank ?? Number.POSITIVE_INFINITY;
    const rows = found
      .filter(({ restart }) => restart === job.job.restart)
      .sort((a, b) => order(a) - order(b));

    const bins = rows.length > MANY ? BINS_OF_MANY : MOST_BINS;
    let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const { startMs, windowMs, maxima } of rows) {
      first = Math.min(first, startMs);
      last = Math.max(last, startMs + windowMs * maxima.length);
    }
    const width = Math.max(1e-3, (last - first) / bins) || 1;
    const cells = new Float32Array(rows.length * bins);
    for (const [i, row] of rows.entries()) {
      const maxima = Float64Array.from(row.maxima);
      cells.set(binned({ ...row, maxima }, first, width, bins), i * bins);
    }
    const startedMs = Date.parse(job.job.startedAt);
    return {
      header: {
        type: 'heat-map',
        job,
        measure,
        rows: rows.length,
        bins,
        startSeconds: rows.length === 0 ? 0 : (first - startedMs) / 1000,
        binSeconds: width / 1000,
        nodes: [...this.#nodes.keys()],
      },
      rank: Uint32Array.from(rows, ({ rank }) => rank ?? 0xffff_ffff),
      node: Uint32Array.from(rows, ({ node }) => node),
      peak: Float64Array.from(rows, ({ peak }) => peak),
      limit: Float64Array.from(rows, ({ limit }) => limit),
      ended: Uint8Array.from(rows, ({ ended }) => ended),
      cells,
    };
  }
}
