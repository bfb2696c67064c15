import type { GpuBackend } from './backend.ts';
import { nvidiaSmi } from './nvidia/nvidia-smi/index.ts';
import { nvml } from './nvidia/nvml/index.ts';

/** Every way to GPU memory, the best first: a recording takes the first that answers. `doctor` shows them in this order. */
export const GPU_BACKENDS = [nvml, nvidiaSmi] as const satisfies readonly GpuBackend[];
