import type { OomFigures } from '../model/out-of-memory.ts';
import type { RunInfo } from '../model/run.ts';

/**
 * A line of the output that tells of a kill by the kernel, where the control group's own count proves that there was
 * none in this run: it tells of somebody else's, or of an earlier one.
 */
export const isHearsay = ({ source }: OomFigures, { exit }: RunInfo): boolean =>
  source === 'kernel' && exit?.oomKilled === false;
