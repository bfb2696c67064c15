import { categoryPlural } from '../../model/allocations/words.ts';
import type { AccountingRow } from './accounting-rows.ts';
import type { GpuFacts } from './index.ts';
import { LIVE } from './own-parts.ts';

/** What of a device's allocation trace is asked for here. */
interface TracedPeak {
  readonly device: number | string;
  readonly peakRequestedBytes: number;
  /** At that peak; they add up to it. */
  readonly categories: readonly {
    readonly category: Parameters<typeof categoryPlural>[0];
    readonly bytes: number;
  }[];
}

/**
 * What was live on a card, by category, where a snapshot is of that very state: tensors had asked for just as many bytes,
 * to the byte, when torch was read as at the snapshot's peak.
 */
export function liveByCategory(
  cards: readonly GpuFacts[],
  traced: readonly TracedPeak[],
): readonly GpuFacts[] {
  const onCards = traced.filter(({ device }) => typeof device === 'number');
  return cards.map((card) => {
    if (!card.accounting) return card;
    const rows = card.accounting.rows.flatMap((row) => {
      const same = onCards.find(({ peakRequestedBytes }) => {
        return row.what === LIVE && peakRequestedBytes === row.requestedBytes;
      });
      return same ? split(row, same) : [row];
    });
    return { ...card, accounting: { ...card.accounting, rows } };
  });
}

function split(
  row: AccountingRow,
  { categories, peakRequestedBytes }: TracedPeak,
): AccountingRow[] {
  const parts = categories.map(({ category, bytes }) => ({
    ...row,
    what: `${LIVE}: ${categoryPlural(category)}`,
    bytes,
    from: 'snapshot',
    requestedBytes: bytes,
  }));
  const rounding = row.bytes - peakRequestedBytes;
  const rest = { ...row, what: `${LIVE}: rounding of blocks`, bytes: rounding, requestedBytes: 0 };
  const sum = categories.reduce((all, { bytes }) => all + bytes, 0);
  if (rounding < 0 || sum !== peakRequestedBytes) return [row];
  return rounding > 0 ? [...parts, rest] : parts;
}
