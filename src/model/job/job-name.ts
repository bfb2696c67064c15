import type { RunInfo } from '../run.ts';

const THIS_MACHINE = /^(127(\.\d{1,3}){3}|localhost|\[::1\]|::1)(?=:\d+$)/i;

/**
 * The job's id as one among those of all machines; undefined where nobody gave it one. torchrun without an id is known by
 * where its ranks meet: 127.0.0.1:29500 is that of every machine, so that its name stands in the place of the address.
 */
export function jobNameOf({ labels, host }: Pick<RunInfo, 'labels' | 'host'>): string | undefined {
  return labels.job?.replace(THIS_MACHINE, () => host.name);
}
