import { MiB } from '../../base/bytes.ts';
import { origin } from '../../model/origin.ts';
import type { Recording } from '../../model/recording.ts';
import type { GpuCard, GpuMeasuring } from '../../model/run.ts';
import type { Series } from '../../model/series.ts';

/** How it is known that the recorded tree uses a card. */
export type UseEvidence = 'processes' | 'growth';

/** A bare CUDA context takes more than a hundred MiB; idle cards move by less than this. */
const GROWTH = 32 * MiB;

export interface CardsInUse {
  /** By the card's index; a card that is not there is not used. */
  readonly by: ReadonlyMap<number, UseEvidence>;
  /** The driver named none of the tree, so that growth had to tell. */
  readonly guessed: boolean;
}

/**
 * Which cards the tree uses. The driver's lists tell it; where they name none of ours (inside a
 * container, say), those cards count whose memory grew while the workload ran, among those that CUDA
 * was allowed to see and, where that could be looked for, whose device files were open.
 */
export function cardsInUse(
  recording: Recording,
  ofTree: ReadonlySet<number>,
  used: (gpu: number) => Series | null,
): CardsInUse {
  const { gpu, gpus } = recording.run;
  if (ofTree.size > 0) {
    return { by: new Map([...ofTree].map((index) => [index, 'processes'])), guessed: false };
  }
  const none: CardsInUse = { by: new Map(), guessed: false };
  if (!gpu || recording.table('processes').rows === 0) return none;
  // The driver knows our processes and names none of them: only open device files say otherwise.
  if (gpu.processIds === 'ours' && !gpu.opened?.length) return none;
  const start = origin(recording).ns;
  const allowed = visibleCards(gpu, gpus);
  const grown = gpus.filter(
    ({ index, mig }) =>
      !mig &&
      allowed(index) &&
      (gpu.opened === null || gpu.opened.includes(index)) &&
      growth(used(index), start) >= GROWTH,
  );
  return { by: new Map(grown.map(({ index }) => [index, 'growth'])), guessed: grown.length > 0 };
}

/** What a card held when the workload started: the last value before; null without one. */
export function levelBefore(series: Series, start: number): number | null {
  const { times, values } = series;
  let level: number | null = null;
  for (let i = 0; i < times.length && times[i]! <= start; i++) level = values[i]!;
  return level;
}

/** The largest value of the run against the level before it. */
function growth(series: Series | null, start: number): number {
  if (!series) return 0;
  const before = levelBefore(series, start) ?? series.values[0]!;
  return series.values.reduce((most, value) => Math.max(most, value - before), 0);
}

/**
 * Which cards CUDA could see. It numbers cards by speed unless told to go by the bus, as the driver
 * does; with cards of one kind both come to the same. Numbers that cannot be told allow every card.
 */
export function visibleCards(
  { visible, pciOrder }: Pick<GpuMeasuring, 'visible' | 'pciOrder'>,
  cards: readonly GpuCard[],
): (index: number) => boolean {
  if (visible === null) return () => true;
  const words = visible.split(',').map((word) => word.trim());
  const whole = cards.filter((card) => card.parent === undefined);
  const sameOrder = pciOrder || whole.every(({ name }) => name === whole[0]!.name);
  const allowed = new Set<number>();
  for (const word of words) {
    if (/^\d+$/.test(word)) {
      if (!sameOrder) return () => true;
      allowed.add(Number(word));
      continue;
    }
    // CUDA takes the beginning of a UUID as well, and stops at what it does not know.
    const found = cards.filter(({ uuid }) => word !== '' && uuid.startsWith(word));
    if (found.length !== 1) break;
    allowed.add(found[0]!.index);
  }
  return (index) => allowed.has(index);
}
