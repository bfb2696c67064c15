import { formatBytes } from '../../../base/bytes.ts';
import type { CauseStatement, RankedCause } from '../../allocations/failure/ranked-cause.ts';
import type { FailedRequest } from '../../allocations/oom.ts';
import type { Scene } from './scene.ts';

/** A replay shows it for the whole step, of steps that do not grow; or for the request alone, or sums do. */
const IN_PIECES = { wholeStep: 0.85, request: 0.6 } as const;
/** Where tensors alone hold nearly all, one step further even one piece is used up. */
const NEARLY_FULL = 0.9;
const SOON_FULL = 0.5;
const DESPITE_GROWTH = 0.35;
/** The step needs more than there is in any case. */
const NEVER_FITS = 0.3;

/** Enough was unused, but in pieces: in one it would have been enough for the request, and for the step that made it. */
export function fragmentationCause(scene: Scene): RankedCause[] {
  const { oom, advice, said, deviceAt, holdsGrowth, isSteady } = scene;
  const unused = oom.reservedBytes - oom.liveBytes;
  const setting = advice.findIndex((one) => one.enough);
  const proven = setting >= 0;
  if (!proven && unused < oom.requestedBytes) return [];
  const fits = stepFits(oom);
  const sure = IN_PIECES[proven && fits && isSteady ? 'wholeStep' : 'request'];
  const full = oom.liveBytes / oom.reservedBytes > NEARLY_FULL ? SOON_FULL : 1;
  const grows = holdsGrowth ? DESPITE_GROWTH : 1;
  const ends = fits === false && !holdsGrowth ? NEVER_FITS : 1;
  return [
    {
      id: 'fragmentation',
      certainty: sure * full * grows * ends,
      bytes: unused,
      evidence: [
        said(
          'unusableBytes',
          `${formatBytes(unused)} were reserved and unused, and ${formatBytes(oom.requestedBytes)} were asked for`,
        ),
        said(
          'largestHoleBytes',
          `the largest piece of it had ${formatBytes(oom.largestHoleBytes)}`,
        ),
        ...(proven
          ? [
              said(
                `${deviceAt}/fragmentation/advice/${setting}/enough`,
                'a replay with another setting of the allocator runs to the end of the trace',
              ),
            ]
          : []),
      ],
      against: [...againstGrowth(scene), ...(fits ? [] : againstStep(scene, fits))],
    },
  ];
}

/** Whether all that the step needs at once would have been there in one piece; null: what it needs is not known. */
function stepFits({ needed }: FailedRequest): boolean | null {
  const { stepBytes = null, roomBytes = null } = needed ?? {};
  return stepBytes === null || roomBytes === null ? null : stepBytes <= roomBytes;
}

const againstGrowth = ({ holdsGrowth, said }: Scene): CauseStatement[] =>
  holdsGrowth
    ? [said('kept/bytes', 'in one piece it would have lasted a little longer, and then run out')]
    : [];

function againstStep({ oom, said, holdsGrowth }: Scene, fits: false | null): CauseStatement[] {
  if (holdsGrowth) return [];
  if (fits === null) {
    return oom.moment.step === null
      ? []
      : [said('needed/stepBytes', 'what the rest of the step needs is not known')];
  }
  const { stepBytes, roomBytes } = oom.needed!;
  return [
    said(
      'needed/stepBytes',
      `in one piece it would have run out a little later: the whole step needs about ${formatBytes(stepBytes!)}, by the steps before it, and there were ${formatBytes(roomBytes!)}`,
    ),
  ];
}
