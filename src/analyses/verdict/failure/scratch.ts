import { formatBytes } from '../../../base/bytes.ts';
import type { RankedCause } from '../../allocations/failure/ranked-cause.ts';
import type { Scene } from './scene.ts';

/** That a request is for scratch memory is inferred: by what its line did with the like before, or by its stream. */
const LIKE_BEFORE = 0.9;

/** Scratch memory of libraries: what they keep, and what an operation asks for itself. */
export function scratchCause(scene: Scene): RankedCause[] {
  const { oom, share, said, partAt, bytesOf, withRequest } = scene;
  const there = bytesOf('workspace');
  const bytes = withRequest('workspace');
  const asked = oom.askedPart === 'workspace';
  if (!asked && isOfOperation(oom)) return perhapsScratch(scene);
  return [
    {
      id: 'workspaces',
      certainty: share(bytes) * (asked ? LIKE_BEFORE : 1),
      bytes,
      evidence: [
        ...(there > 0
          ? [said(partAt('workspace'), `${formatBytes(there)} are scratch memory of libraries`)]
          : []),
        ...(asked
          ? [
              said(
                'requestedBytes',
                `the request itself, of ${formatBytes(oom.requestedBytes)}, was for scratch memory of an operation`,
              ),
            ]
          : []),
      ],
      against: [],
    },
  ];
}

/** Without a call before it, an operation's request is for a further result, or for scratch memory: nothing tells which. */
const ONE_OF_THE_TWO = 0.5;

const isOfOperation = ({ work, askedPart, operationBytes }: Scene['oom']) =>
  work.does === 'unknown' && askedPart === 'pass' && (operationBytes ?? 0) > 0;

function perhapsScratch({ oom, share, said }: Scene): RankedCause[] {
  return [
    {
      id: 'workspaces',
      certainty: share(oom.requestedBytes) * ONE_OF_THE_TWO,
      bytes: oom.requestedBytes,
      evidence: [
        said(
          'operationBytes',
          `an operation was at work: it had made ${formatBytes(oom.operationBytes!)} that no object of the program held yet, and asked for ${formatBytes(oom.requestedBytes)} more`,
        ),
      ],
      against: [said('requestedBytes', 'it may as well be for a result')],
    },
  ];
}
