import { cgroupSource } from './cgroup/index.ts';
import { hostSource } from './host.ts';
import { processTreeSource } from './process-tree/index.ts';
import { pssSource } from './pss.ts';

/** Every source, in the order in which `doctor` shows them. */
export const SOURCES = [hostSource, processTreeSource, pssSource, cgroupSource] as const;
