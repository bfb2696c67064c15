import type { Recording } from '../../model/recording.ts';
import type { Series } from '../../model/series.ts';
import { series } from '../../model/series.ts';
import { workloadProcesses } from '../../model/workload-processes.ts';
import type { GpuFacts } from '../gpu/index.ts';
import { sizeMeasure } from '../ranks/peak-sizes.ts';
import type { Members } from './members.ts';

/** A series of each rank. */
export type RankSeries = ReadonlyMap<number, Series>;

class Lines {
  readonly #lines = new Map<number, { times: number[]; values: number[] }>();

  /** Values of one moment add up, or the largest of them counts. */
  add(rank: number, time: number, value: number, how: 'sum' | 'most'): void {
    let line = this.#lines.get(rank);
    if (!line) {
      line = { times: [], values: [] };
      this.#lines.set(rank, line);
    }
    const { times, values } = line;
    if (times.at(-1) !== time) {
      times.push(time);
      values.push(value);
    } else if (how === 'sum') values[values.length - 1]! += value;
    else values[values.length - 1] = Math.max(values.at(-1)!, value);
  }

  named(name: string): Map<number, Series> {
    const made = [...this.#lines].map(([rank, { times, values }]): [number, Series] => [
      rank,
      { name, times: Float64Array.from(times), values: Float64Array.from(values) },
    ]);
    return new Map(made);
  }
}

/** What the processes of each rank held, as the report of a job sums it. */
export function memorySeries(recording: Recording, { rankOf }: Members): RankSeries {
  const table = workloadProcesses(recording);
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const measure = sizeMeasure(recording) ?? 'rss';
  const values = table.f64(measure);
  const lines = new Lines();
  for (let row = 0; row < table.rows; row++) {
    const rank = rankOf.get(pids[row]!);
    if (rank === undefined || Number.isNaN(values[row]!)) continue;
    lines.add(rank, times[row]!, values[row]!, 'sum');
  }
  return lines.named(measure);
}

/** What torch had handed out, over the devices of a process. */
export function torchSeries(recording: Recording, { rankOf }: Members): RankSeries {
  const table = recording.table('counters');
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const [names, values] = [table.u32('name'), table.f64('value')];
  const wanted = new Set(
    [...new Set(names)].filter((id) => /^torch\d+\.allocated$/.test(recording.text(id))),
  );
  const lines = new Lines();
  let [sum, any] = [0, false];
  for (let row = 0; row < table.rows; row++) {
    if (wanted.has(names[row]!)) [sum, any] = [sum + values[row]!, true];
    if (times[row + 1] === times[row] && pids[row + 1] === pids[row]) continue;
    const rank = rankOf.get(pids[row]!);
    if (any && rank !== undefined) lines.add(rank, times[row]!, sum, 'most');
    [sum, any] = [0, false];
  }
  return lines.named('torch');
}

/** The card of which a rank used the largest share. */
export interface RankCard {
  readonly gpu: number;
  readonly name: string;
  readonly memoryBytes: number | null;
  /** The exact peak, where one is known that no sample saw. */
  readonly peak: { readonly bytes: number; readonly seconds: number } | null;
  readonly series: Series;
}

/** Of a recording of one rank, the card's own figures; of several ranks, what the driver says that each holds. */
export function cardsOf(
  recording: Recording,
  { ranks, rankOf }: Members,
  gpus: readonly GpuFacts[],
): Map<number, RankCard> {
  if (ranks.length === 1) {
    const used = gpus.flatMap((one) => {
      const of = one.headline?.of === 'card' ? 'used' : 'tree';
      const found =
        series(recording, `gpu${one.gpu}.${of}`) ?? series(recording, `gpu${one.gpu}.used`);
      if (!one.usedByTree || !one.headline || !found) return [];
      const { bytes, seconds } = one.headline;
      const { gpu, name, memoryBytes } = one;
      return [{ gpu, name, memoryBytes, peak: { bytes, seconds }, series: found }];
    });
    const most = largestShare(used);
    return new Map(most ? [[ranks[0]!, most]] : []);
  }
  if (recording.run.gpu?.processIds === 'foreign') return new Map();
  return listedCards(recording, rankOf, gpus);
}

function listedCards(
  recording: Recording,
  rankOf: ReadonlyMap<number, number>,
  gpus: readonly GpuFacts[],
): Map<number, RankCard> {
  const table = recording.table('gpu_process');
  const [times, cards] = [table.f64('time'), table.u32('gpu')];
  const [pids, values] = [table.u32('pid'), table.f64('used')];
  const byCard = new Map<number, Lines>();
  for (let row = 0; row < table.rows; row++) {
    const rank = rankOf.get(pids[row]!);
    if (rank === undefined || Number.isNaN(values[row]!)) continue;
    let lines = byCard.get(cards[row]!);
    if (!lines) {
      lines = new Lines();
      byCard.set(cards[row]!, lines);
    }
    lines.add(rank, times[row]!, values[row]!, 'sum');
  }
  const found = new Map<number, RankCard[]>();
  for (const [gpu, lines] of byCard) {
    const { name = '', memoryBytes = null } = gpus.find((one) => one.gpu === gpu) ?? {};
    for (const [rank, one] of lines.named(`gpu${gpu}.tree`)) {
      const card = { gpu, name, memoryBytes, peak: null, series: one };
      found.set(rank, [...(found.get(rank) ?? []), card]);
    }
  }
  return new Map([...found].map(([rank, all]) => [rank, largestShare(all)!]));
}

function largestShare(cards: readonly RankCard[]): RankCard | null {
  const share = ({ memoryBytes, peak, series: { values } }: RankCard) =>
    (peak?.bytes ?? values.reduce((a, b) => Math.max(a, b), 0)) / (memoryBytes ?? 1);
  return cards.reduce<RankCard | null>((a, b) => (!a || share(b) > share(a) ? b : a), null);
}
