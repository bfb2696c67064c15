import { MiB } from '../../base/bytes.ts';
import { highestIndex } from '../../base/search.ts';
import type { Series } from '../../model/series.ts';
import { type Holders, levelAt } from './holders.ts';
import type { TorchOnCards } from './torch-on-cards.ts';

/** The figure to remember of a card, at a moment in ns. */
export interface CardHeadline {
  readonly bytes: number;
  readonly ns: number;
  /**
   * `card`: all that was in use on it; `workload`: what the recorded processes held by the driver's list; `torch`: at
   * least that, by the peak that torch's allocator keeps itself, at a moment that no sample saw.
   */
  readonly of: 'card' | 'workload' | 'torch';
  /** What the card held besides at that moment, or at the nearest sample; null where it is the whole card, or hardly anything. */
  readonly othersBytes: number | null;
}

/** Of what there is to read about one card. */
export interface CardReadings {
  readonly gpu: number;
  readonly used: Series;
  /** What the recorded processes held; null where the driver does not tell. */
  readonly tree: Series | null;
  /** In use before the start. */
  readonly baseline: number | null;
  readonly holders: Holders;
  readonly torch: TorchOnCards;
  /** Pids of the recorded processes. */
  readonly own: ReadonlySet<number>;
}

/** Idle cards hold less. */
const SOMEBODY = 64 * MiB;
/** Where the workload has about all of what is in use, the card's figure is its own. */
const NEARLY_ALL = 0.98;

/**
 * A card's peak is the workload's where it is alone. On one that others use it may be theirs, at a moment at which the
 * workload held nothing: there it is the most that the workload itself held. Torch's own counter knows peaks that are
 * shorter than the time between two samples.
 */
export function cardHeadline(readings: CardReadings): CardHeadline {
  const { used, tree } = readings;
  const top = highestIndex(used.values);
  const card = {
    bytes: used.values[top]!,
    ns: used.times[top]!,
    of: 'card' as const,
    othersBytes: null,
  };
  const own = tree && highestIndex(tree.values) >= 0 ? workloadPeak(tree) : null;
  if (!own || own.bytes === 0) return card;
  const shared = isShared(readings) && levelAt(tree!, card.ns) < NEARLY_ALL * card.bytes;
  const short = torchPeak(tree!, readings);
  const unseen = short && short.bytes > (shared ? own.bytes : card.bytes) ? short : null;
  if (!shared) return unseen ?? card;
  const found = unseen ?? own;
  // Beside a peak that no sample saw stands what others had at the nearest one.
  const then = levelAt(used, found.ns) - levelAt(tree!, found.ns);
  return { ...found, othersBytes: then < SOMEBODY ? null : then };
}

function workloadPeak({ times, values }: Series): CardHeadline {
  const top = highestIndex(values);
  return { bytes: values[top]!, ns: times[top]!, of: 'workload', othersBytes: null };
}

/** The most that one process's torch had handed out, with what was outside of it and what its other processes held. */
function torchPeak(tree: Series, { gpu, torch }: CardReadings): CardHeadline | null {
  let best: CardHeadline | null = null;
  for (const device of torch.of(gpu)) {
    const { bytes, ns } = device.peak;
    const outside = torch.outside(gpu, device, ns);
    if (!outside || bytes === 0) continue;
    const all = bytes + outside.bytes;
    if (!best || all > best.bytes) best = { bytes: all, ns, of: 'torch', othersBytes: null };
  }
  return tree.values.length > 0 ? best : null;
}

/** Whether others were ever on the card: by the driver's lists, or as it was not empty before the start. */
function isShared({ gpu, baseline, holders, own }: CardReadings): boolean {
  if (baseline !== null && baseline >= SOMEBODY) return true;
  return [...holders.most()].some(([pid, cards]) => !own.has(pid) && cards.has(gpu));
}
