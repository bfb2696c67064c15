import type { DrmDriver } from '../card.ts';
import { amdgpu } from './amdgpu.ts';
import { i915, xe } from './intel.ts';

/** Kernel drivers whose files tell memory. Those of NVIDIA's cards tell none. */
export const DRIVERS: readonly DrmDriver[] = [amdgpu, i915, xe];
