import { MiB } from '../../base/bytes.ts';
import { firstFrom } from '../../base/search.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { Series } from '../../model/series.ts';
import type { CardAccounting, GpuProcess } from './accounting.ts';
import type { CardHeadline } from './headline.ts';
import { ownParts } from './own-parts.ts';
import type { Part } from './part.ts';
import type { TorchOnCards } from './torch-on-cards.ts';

/** Where a part of a card's memory was. */
export interface AccountingRow {
  readonly what: string;
  /** Never negative; together they are `usedBytes`. */
  readonly bytes: number;
  /** Who told it, in words. */
  readonly from: string;
  /** How long after the peak (before it where negative) it was read. */
  readonly secondsOff: number;
  /** Of another process. */
  readonly pid: number | null;
  /** Of what is live: what tensors asked for, without the rounding of blocks; null where that is not told. */
  readonly requestedBytes: number | null;
}

export interface AccountingRows {
  /** What the card held, as the sum of its rows. */
  readonly usedBytes: number;
  readonly rows: readonly AccountingRow[];
}

/** The card held about as much when the processes were listed as at the peak: they are of one state. */
const SAME_STATE = 64 * MiB;

/**
 * What the card held at its headline, part by part, to the byte. Parts that were read at other moments say so; what
 * these cannot split is one part, "not known", and none is ever negative.
 */
export function accountingRows(
  headline: CardHeadline,
  accounting: CardAccounting,
  card: { readonly gpu: number; readonly used: Series; readonly torch: TorchOnCards },
): AccountingRows {
  const { processes, listedNs } = accounting;
  const isOthers = ({ ofTree }: GpuProcess) => ofTree !== true;
  const others = processes.filter(isOthers).map((process): Part => {
    const what = process.ofTree === null ? 'a process' : 'another process';
    return {
      what: `${what}, pid ${process.pid}`,
      bytes: process.bytes ?? 0,
      from: 'driver',
      ns: listedNs,
      pid: process.pid,
    };
  });
  const own = ownParts(
    processes.filter((one) => !isOthers(one)),
    headline,
    listedNs,
    card,
  );
  const listed = sum([...own.listed, ...others]);
  const measured = cardLevel(headline, listedNs, listed, card.used);
  const told = processes.every(({ bytes }) => bytes !== null);
  const same = Math.abs(measured.bytes - accounting.listedUsed) <= SAME_STATE;
  const rest = measured.bytes - listed;
  const restRow = (what: string, bytes: number): Part => ({
    what,
    bytes,
    from: 'what is left',
    ns: measured.ns,
    pid: null,
  });
  const ownListed = sum(own.listed);
  let parts: Part[];
  if (rest >= 0) {
    const what = told && same ? 'held by no listed process' : 'not known';
    parts = [...own.parts, ...others, restRow(what, rest)];
  } else if (ownListed <= measured.bytes) {
    const left = measured.bytes - ownListed;
    parts = [...own.parts, restRow('others, not known how much each', left)];
  } else parts = [restRow('not known', measured.bytes)];
  const rows = parts
    .filter(({ bytes }) => bytes > 0)
    .map(({ ns, requestedBytes = null, ...part }) => ({
      ...part,
      secondsOff: (ns - headline.ns) / SECOND_NS,
      requestedBytes: Number.isNaN(requestedBytes) ? null : requestedBytes,
    }));
  return { usedBytes: sum(rows), rows };
}

const sum = (parts: readonly { readonly bytes: number }[]) =>
  parts.reduce((all, { bytes }) => all + bytes, 0);

/** At the card's own peak that sample; else the one beside the list that holds all that is listed, the nearer one first. */
function cardLevel(
  headline: CardHeadline,
  listedNs: number,
  listed: number,
  { times, values }: Series,
): { ns: number; bytes: number } {
  const at = headline.of === 'card' ? headline.ns : listedNs;
  const after = Math.min(firstFrom(times, at), times.length - 1);
  const around = [after, Math.max(0, after - 1)]
    .map((row) => ({ ns: times[row]!, bytes: values[row]! }))
    .sort((a, b) => Math.abs(a.ns - at) - Math.abs(b.ns - at));
  if (headline.of === 'card') return around[0]!;
  return around.find(({ bytes }) => bytes >= listed) ?? around[0]!;
}
