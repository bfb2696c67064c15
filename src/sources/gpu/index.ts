import type { GpuBackend } from './backend.ts';
import { drm } from './drm/index.ts';
import { nvidiaSmi } from './nvidia/nvidia-smi/index.ts';
import { nvml } from './nvidia/nvml/index.ts';
import { together } from './together.ts';

/** Every way to GPU memory, the best first: a recording takes the first that answers. `doctor` shows them in this order. */
export const GPU_BACKENDS = [
  together([[nvml, nvidiaSmi], [drm]]),
  nvml,
  nvidiaSmi,
  drm,
] as const satisfies readonly GpuBackend[];
