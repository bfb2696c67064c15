import { formatBytes } from '../../../base/bytes.ts';
import { count } from '../../../base/text.ts';
import type { KeptTensors } from '../../allocations/failure/facts.ts';
import type { CauseStatement, RankedCause } from '../../allocations/failure/ranked-cause.ts';
import { type Keeping, keeperOf, keepingOf } from './holder.ts';
import type { Scene } from './scene.ts';

/** Growth that goes on fills any card, so that what it left to others counts for it in part: in full where it is half of all. */
const GOES_ON = 0.6;
const MAIN_PART = 0.5;
/** Of a program that only serves: how much speaks for a cache, by how what it keeps is held. */
const CACHE: Readonly<Record<Keeping | 'unknown', number>> = {
  keyed: 0.95,
  other: 0.6,
  unknown: 0.55,
  local: 0.1,
};
/** The program's objects were looked through, and none holds what grows. */
const NOT_HELD = 0.9;
/** What earlier steps left, without being shown to grow. */
const ONLY_THERE = 0.5;

/** Tensors that a program keeps from step to step, or from request to request. */
export function grownCauses(scene: Scene): RankedCause[] {
  const { oom, shareOfUsed, said, withRequest } = scene;
  const { kept } = oom;
  if (!kept) return leftBehind(scene);
  const part = shareOfUsed(kept.anew ? withRequest('kept') : kept.bytes);
  const serves = oom.work.does === 'serves';
  const found = keeperOf(kept, oom.holders);
  const goesOn = GOES_ON * Math.min(1, part / MAIN_PART);
  const missed = !found && oom.holders.length > 0;
  const sure = (part + (1 - part) * goesOn) * (missed ? NOT_HELD : 1);
  const each = serves ? 'forward pass' : 'step';
  const against: CauseStatement[] = found
    ? []
    : [
        said(
          'holders',
          oom.holders.length > 0
            ? 'what holds them was not found'
            : 'what holds them was not looked for',
        ),
      ];
  const evidence = [
    kept.anew
      ? anew(scene, kept)
      : said(
          'kept/bytes',
          `${formatBytes(kept.bytes)} in ${count(kept.blocks, 'block')} were left by earlier ${each === 'step' ? 'steps' : 'forward passes'}`,
        ),
    said(
      'kept/bytesPerStep',
      kept.anew
        ? `it grew by ${formatBytes(kept.bytesPerStep)} each of ${kept.steps} times, to the last`
        : `live memory grew by ${formatBytes(kept.bytesPerStep)} a ${each} over ${kept.steps}, to the last`,
    ),
    ...(found
      ? [
          said(
            `holders/${found.index}/bytes`,
            `${found.keeper.count} of them are held by {holder}`,
            {
              holder: found.keeper.holder,
            },
          ),
        ]
      : []),
    said('kept/where', 'made by {maker}', { maker: kept.where }),
  ];
  const cause = { bytes: kept.bytes, evidence, against };
  if (!serves) return [{ id: 'kept-tensors', certainty: sure, ...cause }];
  const cache = CACHE[found ? keepingOf(found.keeper.holder) : 'unknown'];
  return [
    { id: 'growing-cache', certainty: sure * cache, ...cause },
    { id: 'kept-tensors', certainty: sure * (1 - cache), ...cause },
  ];
}

const anew = ({ oom, said }: Scene, { bytes }: KeptTensors) =>
  said(
    'kept/bytes',
    `a tensor is made anew and larger each time: ${formatBytes(bytes)} were there, and the request was for the next, of ${formatBytes(oom.requestedBytes)}`,
  );

function leftBehind({ share, said, bytesOf, partAt }: Scene): RankedCause[] {
  const bytes = bytesOf('earlier');
  const at = partAt('earlier');
  return [
    {
      id: 'kept-tensors',
      certainty: share(bytes) * ONLY_THERE,
      bytes,
      evidence: [said(at, `${formatBytes(bytes)} of earlier steps were still there`)],
      against: [said(at, 'that it grows from step to step is not shown')],
    },
  ];
}
