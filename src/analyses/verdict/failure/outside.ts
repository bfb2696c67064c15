import { formatBytes } from '../../../base/bytes.ts';
import type { RankedCause } from '../../allocations/failure/ranked-cause.ts';
import type { Scene } from './scene.ts';

/** What grows would have met the next wall as well. */
const DESPITE_GROWTH = 0.5;
/** Others that held less than was missing would not have helped by themselves. */
const NOT_ENOUGH = 0.3;

/** Causes that are not the program's use of memory: other processes, a limit, what lies beside torch's allocator. */
export function outsideCauses(scene: Scene): RankedCause[] {
  return [...otherProcesses(scene), ...ownLimit(scene), ...context(scene)];
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

function context({ oom, card, share, said }: Scene): RankedCause[] {
  if (oom.limited || !card.context) return [];
  const { bytes, at, heldBytes } = card.context;
  return [
    {
      id: 'context',
      certainty: share(bytes),
      bytes,
      evidence: [
        said(
          at,
          `the program held ${formatBytes(heldBytes)} by the driver, ${formatBytes(bytes)} more than torch's allocator: context, libraries, NCCL`,
        ),
      ],
      against: [],
    },
  ];
}
