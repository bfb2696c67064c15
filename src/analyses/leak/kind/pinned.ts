import { figures, objectEvidence, PINNED, tensorEvidence } from './evidence.ts';
import type { GrowthBreakdown } from './growth-breakdown.ts';
import { whereOf } from './place.ts';
import { ESTIMATED_CAUSE, FLAT, type KindRule, MAIN_CAUSE, share } from './rule.ts';

/**
 * CUDA's pinned pages are shared memory to the kernel, mapped from /dev/zero, and no file of /dev/shm. Torch tells what
 * it pinned itself. Where it does not (an old one, another library), it is shared memory that grows in a process on a card
 * while /dev/shm does not.
 */
export const pinned: KindRule = {
  kind: 'pinned',
  find(breakdown) {
    const told = share(breakdown, 'pinned.reserved') >= MAIN_CAUSE;
    if (breakdown.device || !(told || isNoFile(breakdown))) return null;
    const tensors = breakdown.tensors.filter(({ device }) => device === PINNED);
    const [most] = tensors;
    const [list] = breakdown.containers.filter(
      ({ bytesRate }) => bytesRate >= ESTIMATED_CAUSE * breakdown.growth,
    );
    const named = tensors.find((one) => one.holder !== '')?.holder;
    const holder = named ?? breakdown.pinnedHolder ?? list?.holder;
    const things = [
      ...(most ? [tensorEvidence(most, breakdown)] : []),
      ...(list && !most ? [objectEvidence(list, breakdown)] : []),
    ];
    return {
      name: holder || 'pinned pages',
      where: whereOf(holder),
      evidence: [...things, ...figures(breakdown)],
      advice: adviceOn(breakdown, told, holder),
    };
  },
};

/** /dev/shm was measured, and has not got it. */
const isNoFile = (breakdown: GrowthBreakdown) =>
  breakdown.program.onCard &&
  share(breakdown, 'shmem') >= MAIN_CAUSE &&
  breakdown.rates.has('shm.used') &&
  share(breakdown, 'shm.used') < FLAT &&
  breakdown.files.length === 0;

function adviceOn(breakdown: GrowthBreakdown, told: boolean, holder: string | undefined): string[] {
  const counted = breakdown.rates.has('pinned.allocated');
  const cached = told && counted && share(breakdown, 'pinned.allocated') < FLAT;
  if (cached) {
    return [
      'torch keeps pinned blocks that were given back, each rounded up to a power of two: pin buffers of one size, and use them again',
      'DataLoader(pin_memory=True) with batches of one size does so by itself',
    ];
  }
  return [
    holder
      ? `${holder} keeps them: keep pageable copies there (the batch from before pin_memory(), or .clone()), and pin only what is in flight to the card`
      : 'whoever keeps pinned tensors should keep pageable copies (the batch from before pin_memory(), or .clone()), and pin only what is in flight to the card',
    'DataLoader(pin_memory=True) pins each batch and frees it by itself, as long as nothing keeps the batch',
    ...(told
      ? [
          'each is rounded up to a power of two: pack them into one buffer of such a size, or pin an ordinary tensor as it is (cudaHostRegister): docs/pinned.md',
        ]
      : []),
    ...(told
      ? []
      : [
          'told by what it is not: shared memory that is no file of /dev/shm, in a process that uses a card; where the program maps other shared memory (memfd, System V, MAP_SHARED), look there',
        ]),
  ];
}
