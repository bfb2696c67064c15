import { deviceMemorySource } from './cgroup/device-memory.ts';
import { cgroupSource } from './cgroup/index.ts';
import { hostSource } from './host.ts';
import { mallocSource } from './malloc/index.ts';
import { processTreeSource } from './process-tree/index.ts';
import { pssSource } from './pss.ts';
import type { Source } from './source.ts';

/** Every source, in the order in which they are sampled and `doctor` shows them. */
export const SOURCES: readonly Source[] = [
  hostSource,
  processTreeSource,
  pssSource,
  mallocSource,
  cgroupSource,
  deviceMemorySource,
];
