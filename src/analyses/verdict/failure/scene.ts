import type { Advice } from '../../allocations/advice.ts';
import type { Part } from '../../allocations/failure/parts.ts';
import type { CauseStatement } from '../../allocations/failure/ranked-cause.ts';
import type { AllocationLeak } from '../../allocations/leaks.ts';
import type { FailedRequest } from '../../allocations/oom.ts';
import type { ReportFacts } from '../../report-facts.ts';
import { type CardThen, cardThen } from './card.ts';

/** What a rule for causes has before it. */
export interface Scene {
  readonly oom: FailedRequest;
  readonly card: CardThen;
  /** Settings that a replay was tried with. */
  readonly advice: readonly Advice[];
  /** What is kept grows with each step. */
  readonly holdsGrowth: boolean;
  /** So many steps were seen that growth would show, and none did. */
  readonly isSteady: boolean;
  /** All that there was, with the request and what was sure to follow it. */
  readonly filledBytes: number;
  /** Of what is not the model itself, the share that so many bytes are. */
  share(bytes: number): number;
  /** The same, without what a limit or a slice of the card kept from it. */
  shareOfUsed(bytes: number): number;
  bytesOf(part: Part): number;
  /** Where its figure stands among those of the failed request. */
  partAt(part: Part): string;
  readonly deviceAt: string;
  /** The same with the request, where it is of that part. */
  withRequest(part: Part): number;
  /** A statement on a figure of the failed request. */
  said(key: string, statement: string, texts?: CauseStatement['texts']): CauseStatement;
}

const STEADY: ReadonlySet<AllocationLeak['verdict']> = new Set(['none', 'warm-up', 'cache']);

export function sceneOf(report: ReportFacts, index: number): Scene {
  const oom = report.devices[index]!.oom!;
  const card = cardThen(report, index);
  const bytesOf = (part: Part) => oom.parts.find((one) => one.part === part)?.bytes ?? 0;
  const held = [card.others, card.context, card.siblings];
  const beside = oom.limited ? 0 : held.reduce((sum, one) => sum + (one?.bytes ?? 0), 0);
  const toCome = oom.optimizer ? oom.optimizer.toComeBytes - oom.requestedBytes : 0;
  const filled = oom.reservedBytes + oom.requestedBytes + beside + Math.max(0, toCome);
  // The model itself has to be there: what else there is, is what can be a cause.
  const model = bytesOf('parameter') + bytesOf('gradient');
  // What a limit, or a slice of a card, kept from it would have been there for the rest.
  const limited = oom.limited && !card.playedLimit ? oom.deviceFreeBytes : 0;
  const kept = limited + (card.beyondSlice?.bytes ?? 0);
  const used = Math.max(1, filled - model);
  const at = `/devices/${index}/oom`;
  return {
    oom,
    card,
    advice: report.devices[index]!.fragmentation?.advice ?? [],
    holdsGrowth: oom.kept !== null,
    isSteady: STEADY.has(report.devices[index]!.leak.verdict),
    filledBytes: filled,
    share: (bytes) => Math.min(1, bytes / (used + kept)),
    shareOfUsed: (bytes) => Math.min(1, bytes / used),
    bytesOf,
    partAt: (part) => {
      const found = oom.parts.findIndex((one) => one.part === part);
      return found < 0 ? 'requestedBytes' : `parts/${found}/bytes`;
    },
    deviceAt: `/devices/${index}`,
    withRequest: (part) => bytesOf(part) + (oom.askedPart === part ? oom.requestedBytes : 0),
    said: (key, statement, texts) => ({
      statement,
      at: key.startsWith('/') ? key : `${at}/${key}`,
      unit: unitOf(key),
      ...(texts && { texts }),
    }),
  };
}

const unitOf = (key: string): CauseStatement['unit'] => {
  if (/PerStep$/.test(key)) return 'bytes/step';
  if (/(Bytes|bytes|others|limit|process)$/.test(key)) return 'bytes';
  return /(count|Passes|steps|pools|blocks)$/.test(key) ? 'count' : null;
};
