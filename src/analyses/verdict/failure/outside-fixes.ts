import { formatBytes } from '../../../base/bytes.ts';
import { count } from '../../../base/text.ts';
import { type Fix, fixOf } from '../../allocations/failure/fixes.ts';
import type { FailedRequest } from '../../allocations/oom.ts';
import type { CardThen } from './card.ts';

/** What could be done without a change of the program: memory that others hold, or that a limit keeps from it. */
export function outsideFixes(oom: FailedRequest, card: CardThen): Fix[] {
  const fixes: Fix[] = [];
  if (!oom.limited && card.others) {
    const { bytes } = card.others;
    fixes.push(
      fixOf({
        id: 'free-the-card',
        what: `end the other processes on the card (nvidia-smi lists them), or take another card: ${formatBytes(bytes)} would be free`,
        bytes,
        against: ['other-process'],
        ...withRoom(oom, oom.reservedBytes + oom.deviceFreeBytes + bytes),
      }),
    );
  }
  if (!oom.limited && card.siblings && card.siblings.contextBytes > 0) {
    const { contextBytes: bytes, processes } = card.siblings;
    fixes.push(
      fixOf({
        id: 'fewer-processes',
        what: `use the card from fewer processes of the workload: ${count(processes, 'further one holds', 'further ones hold')} a context each`,
        bytes,
        against: ['context'],
        ...withRoom(oom, oom.reservedBytes + oom.deviceFreeBytes + bytes),
      }),
    );
  }
  if (oom.limited && !card.playedLimit) {
    fixes.push(
      fixOf({
        id: 'raise-limit',
        what: 'raise the limit (torch.cuda.set_per_process_memory_fraction)',
        bytes: oom.deviceFreeBytes,
        against: ['limit'],
        ...withRoom(oom, oom.reservedBytes + oom.deviceFreeBytes),
      }),
    );
  }
  if (card.beyondSlice) {
    const { bytes, cardBytes } = card.beyondSlice;
    fixes.push(
      fixOf({
        id: 'raise-limit',
        what: `take a larger slice of the card (nvidia-smi mig -lgip lists them), or all of it: ${formatBytes(cardBytes)}`,
        bytes,
        against: ['limit'],
        ...withRoom(oom, oom.reservedBytes + oom.deviceFreeBytes + bytes),
      }),
    );
  }
  return fixes;
}

/** Whether so much in all would have been enough, by a replay with nothing to stop it and what its step still asks for. */
function withRoom({ needed, kept }: FailedRequest, room: number): Pick<Fix, 'outcome' | 'margin'> {
  // What grows fills any room.
  if (!needed || kept) return { outcome: 'unknown', margin: null };
  if (needed.reservedBytes > room) return { outcome: 'dies', margin: null };
  if (needed.restBytes === null) return { outcome: 'unknown', margin: null };
  const margin = room - needed.reservedBytes - needed.restBytes;
  return margin >= 0 ? { outcome: 'runs', margin } : { outcome: 'unknown', margin: null };
}
