import { formatBytes } from '../../../base/bytes.ts';
import { count } from '../../../base/text.ts';
import type { CauseStatement, RankedCause } from '../../allocations/failure/ranked-cause.ts';
import type { Scene } from './scene.ts';

/** What grows would have met the next wall as well. */
const DESPITE_GROWTH = 0.5;
/** Others that held less than was missing would not have helped by themselves. */
const NOT_ENOUGH = 0.3;

/** Causes that are not the program's use of memory: other processes, a limit, what lies beside torch's allocator. */
export function outsideCauses(scene: Scene): RankedCause[] {
  return [...otherProcesses(scene), ...ownLimit(scene), ...slice(scene), ...context(scene)];
}

function otherProcesses({ oom, card, share, said, holdsGrowth }: Scene): RankedCause[] {
  const { others } = card;
  if (oom.limited || !others || others.bytes <= 0) return [];
  const enough = others.bytes >= oom.missingBytes;
  const sure = share(others.bytes) * (enough ? 1 : NOT_ENOUGH);
  return [
    {
      id: 'other-process',
      certainty: holdsGrowth ? sure * DESPITE_GROWTH : sure,
      bytes: others.bytes,
      evidence: [
        said(others.at, `other processes held ${formatBytes(others.bytes)} of the card`),
        said('missingBytes', `${formatBytes(oom.missingBytes)} were missing`),
        said('reservedBytes', `this program's allocator held ${formatBytes(oom.reservedBytes)}`),
      ],
      against: enough ? [] : [said('missingBytes', 'that is less than what was missing')],
    },
  ];
}

function ownLimit({ oom, card, share, said, holdsGrowth }: Scene): RankedCause[] {
  if (!oom.limited || card.playedLimit) return [];
  const sure = share(oom.deviceFreeBytes);
  const limit = card.ownLimit;
  return [
    {
      id: 'limit',
      certainty: holdsGrowth ? sure * DESPITE_GROWTH : sure,
      bytes: oom.deviceFreeBytes,
      evidence: [
        ...(limit
          ? [said(limit.at, `the limit, as the message has it: ${formatBytes(limit.bytes)}`)]
          : []),
        said(
          'deviceFreeBytes',
          `${formatBytes(oom.deviceFreeBytes)} of the card were free, and ${formatBytes(oom.requestedBytes)} were asked for`,
        ),
      ],
      against: limit
        ? []
        : [said('limited', 'the limit itself was not seen: it is inferred, as enough was free')],
    },
  ];
}

/** A slice is a limit that whoever cut the card set. What the slice is short of, the rest of the card may have. */
function slice({ card, share, said, holdsGrowth }: Scene): RankedCause[] {
  const { beyondSlice } = card;
  if (!beyondSlice) return [];
  const { bytes, sliceBytes, cardBytes, at } = beyondSlice;
  const sure = share(bytes);
  const evidence = `the program was given a slice (MIG) of ${formatBytes(sliceBytes)} of a card that has ${formatBytes(cardBytes)}`;
  return [
    {
      id: 'limit',
      limitOf: 'slice',
      certainty: holdsGrowth ? sure * DESPITE_GROWTH : sure,
      bytes,
      evidence: [said(at, evidence)],
      against: [said(at, 'other slices of the card may be in use: that memory need not be free')],
    },
  ];
}

/** Contexts hold nothing of the program's: how far it speaks for them that without them the request had found room. */
const ROOM_WITHOUT = 0.5;

function context(scene: Scene): RankedCause[] {
  const { oom, card, share, said } = scene;
  if (oom.limited || (!card.context && !card.siblings)) return [];
  const ofSiblings = card.siblings?.contextBytes ?? 0;
  const bytes = (card.context?.bytes ?? 0) + ofSiblings;
  const part = share(bytes);
  // The more room they would have left beyond what was missing, the further it would have gone.
  const left = ofSiblings > 0 ? Math.max(0, 1 - oom.missingBytes / ofSiblings) : 0;
  const evidence: CauseStatement[] = [];
  if (card.siblings && ofSiblings > 0) {
    const { processes, bytes: held, at } = card.siblings;
    evidence.push(
      said(
        at,
        `${count(processes, 'further process', 'further processes')} of the workload held ${formatBytes(held)} of the card, ${formatBytes(ofSiblings)} of it beside torch's allocator: a context each`,
      ),
    );
    if (left > 0) {
      evidence.push(
        said('missingBytes', `${formatBytes(oom.missingBytes)} were missing, less than these hold`),
      );
    }
  }
  if (card.context) {
    const { bytes: own, at, heldBytes } = card.context;
    evidence.push(
      said(
        at,
        `the program held ${formatBytes(heldBytes)} by the driver, ${formatBytes(own)} more than torch's allocator: context, libraries, NCCL`,
      ),
    );
  }
  const certainty = part + (1 - part) * ROOM_WITHOUT * left;
  return [{ id: 'context', certainty, bytes, evidence, against: [] }];
}
